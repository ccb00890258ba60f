// As much of a registry as a pull asks for, from an OCI layout, on loopback.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Registry {
  /** 127.0.0.1:PORT */
  readonly address: string;
  /** How many blobs were asked for. */
  blobs(): number;
  close(): Promise<void>;
}

/** Has one image, `team/tiny:latest`. */
export async function startRegistry(layout: string): Promise<Registry> {
  const index = JSON.parse(await readFile(join(layout, "index.json"), "utf8")) as {
    manifests: { digest: string; mediaType: string }[];
  };
  const { digest = "", mediaType = "" } = index.manifests[0] ?? {};
  let blobs = 0;
  const blob = (name: string): string => join(layout, "blobs", name.replace(":", "/"));
  const server = createServer((request, response) => {
    const { url = "" } = request;
    const [, found] = /^\/v2\/team\/tiny\/blobs\/(sha256:[0-9a-f]{64})$/.exec(url) ?? [];
    if (url === "/v2/") {
      response.end("{}");
    } else if (url === "/v2/team/tiny/manifests/latest" || url.endsWith(`/manifests/${digest}`)) {
      response.writeHead(200, { "content-type": mediaType, "docker-content-digest": digest });
      createReadStream(blob(digest)).pipe(response);
    } else if (found !== undefined) {
      blobs++;
      createReadStream(blob(found)).pipe(response);
    } else {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ errors: [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }] }),
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    blobs: () => blobs,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

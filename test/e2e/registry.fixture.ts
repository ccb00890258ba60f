// A container registry on loopback that serves an OCI layout, as far as a pull needs it.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Registry {
  /** The address of the registry: 127.0.0.1:PORT, unless it listens elsewhere. */
  readonly address: string;
  /** Returns the number of blobs that were asked for. */
  blobs(): number;
  close(): Promise<void>;
}

export interface RegistryOptions {
  /** The credentials that the registry insists on, as `USER:PASSWORD`. */
  readonly login?: string;
  /** The path of a socket to listen on, for clients in another network namespace. */
  readonly socket?: string;
}

/** Starts a registry with one image, `team/tiny:latest`. */
export async function startRegistry(
  layout: string,
  { login, socket }: RegistryOptions = {},
): Promise<Registry> {
  const index = JSON.parse(await readFile(join(layout, "index.json"), "utf8")) as {
    manifests: { digest: string; mediaType: string }[];
  };
  const { digest = "", mediaType = "" } = index.manifests[0] ?? {};
  let blobs = 0;
  const blob = (name: string): string => join(layout, "blobs", name.replace(":", "/"));
  const server = createServer((request, response) => {
    const { url = "" } = request;
    const [, found] = /^\/v2\/team\/tiny\/blobs\/(sha256:[0-9a-f]{64})$/.exec(url) ?? [];
    if (login !== undefined && request.headers.authorization !== basic(login)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="test"' });
      response.end(JSON.stringify({ errors: [{ code: "UNAUTHORIZED", message: "log in first" }] }));
    } else if (url === "/v2/") {
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
  await new Promise<void>((resolve) =>
    socket === undefined ? server.listen(0, "127.0.0.1", resolve) : server.listen(socket, resolve),
  );
  const address = server.address();
  return {
    address: isPort(address) ? `127.0.0.1:${address.port}` : "",
    blobs: () => blobs,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

function isPort(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

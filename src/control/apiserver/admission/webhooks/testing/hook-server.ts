// A webhook server for tests: HTTPS on loopback, with a certificate of its own authority.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createAuthority, openAuthority } from "../../../security/authority.ts";

export interface Review {
  readonly uid: string;
  readonly kind: { readonly kind: string; readonly version: string };
  readonly resource: { readonly resource: string; readonly version: string };
  readonly subResource?: string;
  readonly operation: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun: boolean;
  readonly object: Record<string, unknown> | null;
  readonly oldObject: Record<string, unknown> | null;
  readonly userInfo: { readonly username: string };
}

/** Answers a review: the fields of the response besides the uid; `undefined` never answers. */
export type Decide = (review: Review) => object | undefined;

export interface HookServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly caBundle: string;
  /** The reviews that were asked, oldest first. */
  readonly asked: { readonly path: string; readonly review: Review }[];
  /** Decides what is asked under a path. */
  on(path: string, decide: Decide): void;
  /** Answers whole requests under a path, such as conversions. */
  onRaw(path: string, answer: (body: Record<string, unknown>) => object): void;
}

export interface HookServerOptions {
  readonly dnsNames?: readonly string[];
  readonly host?: string;
  readonly port?: number;
}

export async function startHookServer(options: HookServerOptions = {}): Promise<HookServer> {
  const { dnsNames = ["localhost"], host = "127.0.0.1" } = options;
  const now = () => new Date();
  const authority = await openAuthority(await createAuthority("hooks", { now }), { now });
  const { certificate, key } = await authority.issueServer(
    { commonName: "webhook" },
    { dnsNames, addresses: ["127.0.0.1"] },
  );
  const decisions = new Map<string, Decide>();
  const raw = new Map<string, (body: Record<string, unknown>) => object>();
  const asked: HookServer["asked"] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? "/", "https://hook").pathname;
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const send = (object: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(object));
    };
    const whole = raw.get(path);
    if (whole !== undefined) {
      send(whole(body));
      return;
    }
    const review = body["request"] as Review;
    asked.push({ path, review });
    const decided = decisions.get(path)?.(review);
    if (decided === undefined) return;
    const { apiVersion, kind } = body;
    send({ apiVersion, kind, response: { uid: review.uid, ...decided } });
  };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(options.port ?? 0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    asked,
    on: (path, decide) => void decisions.set(path, decide),
    onRaw: (path, handler) => void raw.set(path, handler),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns the response of a webhook that patches the object. */
export function patching(operations: readonly object[]): object {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return { allowed: true, patchType: "JSONPatch", patch };
}

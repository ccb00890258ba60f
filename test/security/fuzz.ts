// Sends fuzzed requests over a few connections of HTTP/2 and counts the answers.
import { type ClientHttp2Session, connect, constants } from "node:http2";
import type { TestServer } from "../fixtures/server.ts";
import { type FuzzedRequest, fuzzedNamespace, fuzzedRequests } from "./fuzz-requests.ts";

export interface Fuzzing {
  /** The number of answers by code. */
  readonly codes: ReadonlyMap<number, number>;
  /** The first requests that were answered with 500 or more, or not at all. */
  readonly faults: readonly string[];
}

const sessions = 4;
const streams = 8;
const faultsKept = 10;
/** A request that takes longer is not answered at all; nothing that fuzzed requests ask for takes nearly as long. */
const patienceMs = 120_000;

/** Sends so many requests as the administrator, whom no limit holds back. */
export async function fuzz(server: TestServer, count: number, seed: number): Promise<Fuzzing> {
  const codes = new Map<number, number>();
  const faults: string[] = [];
  const next = fuzzedRequests(seed);
  let left = count;
  const work = async (session: ClientHttp2Session) => {
    while (left-- > 0) {
      const request = next();
      const code = await send(session, request);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (isFault(code, request) && faults.length < faultsKept)
        faults.push(`${code}: ${describe(request)}`);
    }
  };
  const open = Array.from({ length: sessions }, () => connect(server.url, server.tls));
  try {
    await Promise.all(
      open.flatMap((session) => Array.from({ length: streams }, () => work(session))),
    );
  } finally {
    for (const session of open) session.close();
  }
  return { codes, faults };
}

/** Deletes everything that fuzzed requests have written. */
export async function removeFuzzed(server: TestServer): Promise<void> {
  const { body } = await server.call("GET", "/apis");
  const groups = (body["groups"] ?? []) as { preferredVersion: { groupVersion: string } }[];
  const roots = [
    "/api/v1",
    ...groups.map(({ preferredVersion: { groupVersion } }) => `/apis/${groupVersion}`),
  ];
  for (const root of roots) {
    const { body: list } = await server.call("GET", root);
    const found = (list["resources"] ?? []) as {
      name: string;
      namespaced: boolean;
      verbs: string[];
    }[];
    for (const { name, namespaced, verbs } of found) {
      if (!namespaced || !verbs.includes("deletecollection")) continue;
      await server.call("DELETE", `${root}/namespaces/${fuzzedNamespace}/${name}`);
    }
  }
}

function send(session: ClientHttp2Session, request: FuzzedRequest): Promise<number> {
  return new Promise((resolve) => {
    const { method, path, type, accept, body } = request;
    const stream = session.request({
      ":method": method,
      ":path": path,
      "content-type": type,
      accept,
    });
    let code = 0;
    const timer = setTimeout(() => {
      code = 0;
      stream.close(constants.NGHTTP2_CANCEL);
    }, patienceMs);
    stream.on("response", (headers) => {
      code = headers[":status"] ?? 0;
      // A watch would go on for ever.
      if (path.includes("watch")) stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.resume();
    // The stream closes after an error, with the code that was received until then.
    stream.on("error", () => undefined);
    stream.on("close", () => {
      clearTimeout(timer);
      resolve(code);
    });
    stream.end(body);
  });
}

/** A server that is asked for a version that is not there yet waits, and says at last that it has not come. */
function isFault(code: number, { path }: FuzzedRequest): boolean {
  if (code === 504) return !path.includes("resourceVersion=9999");
  return code >= 500 || code === 0;
}

function describe({ method, path, type, body }: FuzzedRequest): string {
  return `${method} ${path} ${type} ${body.toString("base64").slice(0, 2000)}`;
}

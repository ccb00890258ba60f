// A JSON request to a server outside of the cluster, with limits on time and size.
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { SecureContextOptions } from "node:tls";

export interface JsonRequest {
  readonly url: string;
  readonly tls?: SecureContextOptions & { readonly servername?: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, which is sent with POST. */
  readonly body?: object;
}

const patienceMs = 10_000;
const mostBytes = 1 << 20;

export async function askJson({
  url,
  tls = {},
  headers = {},
  body,
}: JsonRequest): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(url, {
    ...tls,
    method: body === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    signal: AbortSignal.timeout(patienceMs),
  });
  outgoing.once("error", reject);
  outgoing.once("response", resolve);
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const incoming = await promise;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > mostBytes)
      throw new Error(`Cannot read ${url}: it answers with more than ${mostBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  const code = incoming.statusCode ?? 0;
  if (code < 200 || code > 299)
    throw new Error(`Cannot ask ${url}: it answers with status ${code}`);
  return JSON.parse(Buffer.concat(chunks).toString());
}

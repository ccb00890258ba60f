import type { IncomingMessage } from "node:http";

/** Reads the body of a request; undefined if it is longer than bodies of our pages are. */
export async function readBody(
  request: IncomingMessage,
  mostBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

import type { IncomingMessage } from "node:http";

/** A code is much shorter; whoever sends more is no page of ours. */
const mostBytes = 1024;

/** Reads the code of a log-in from the body of a request; undefined if it is none. */
export async function readCode(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  return /^[\w-]{20,100}$/.test(text) ? text : undefined;
}

// Reads response bodies, whole or as streams.

import type { IncomingMessage } from "node:http";
import { messageOf } from "../../../base/program/errors.ts";
import { unanswered } from "../errors.ts";

/** The request whose body is read, and the signal that ends it. */
interface Reading {
  /** The request, for errors: `GET /api/v1/pods`. */
  readonly action: string;
  readonly signal: AbortSignal;
}

export function readAll(message: IncomingMessage, reading: Reading): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.on("end", () => {
    const [first] = chunks;
    resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
  });
  message.on("error", (error) => reject(lost(error, reading)));
  return promise;
}

/** Streams a body; `done` is called once, when it has ended or its reader stops. */
export async function* chunksOf(
  message: IncomingMessage,
  reading: Reading & { readonly done: () => void },
): AsyncGenerator<Buffer, undefined> {
  try {
    for await (const chunk of message) yield chunk as Buffer;
  } catch (error) {
    throw lost(error, reading);
  } finally {
    message.destroy();
    reading.done();
  }
  return undefined;
}

/** The error of a lost connection; returned, not thrown, since event listeners have no caller to throw to. */
function lost(cause: unknown, { action, signal }: Reading): unknown {
  if (signal.aborted) return signal.reason;
  const state = `the connection was lost in the middle of the answer: ${messageOf(cause)}`;
  return unanswered(action, { reason: "ConnectionLost", state, cause });
}

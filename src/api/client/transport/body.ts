// The bodies of answers, whole or as they come.

import type { IncomingMessage } from "node:http";
import { messageOf } from "../../../base/program/errors.ts";
import { unanswered } from "../errors.ts";

/** What is being read, and what ends it. */
interface Reading {
  /** For errors: `GET /api/v1/pods`. */
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

/** `done` is called once, when the body has ended or nobody reads on. */
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

/** Returned, not thrown: who listens to events has nobody to throw at. */
function lost(cause: unknown, { action, signal }: Reading): unknown {
  if (signal.aborted) return signal.reason;
  const state = `the connection was lost in the middle of the answer: ${messageOf(cause)}`;
  return unanswered(action, { reason: "ConnectionLost", state, cause });
}

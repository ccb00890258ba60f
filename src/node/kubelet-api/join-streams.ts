// Joins the streams of a process with those of a client. Either may vanish at any moment; an unhandled error
// would end the agent, so none is passed from one to the other.
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";

/**
 * Passes output on; resolves when the process has written everything, whether or not the client has read it.
 */
export async function passOutput(source: Readable, target: Writable | undefined): Promise<void> {
  if (target === undefined) source.resume();
  else {
    const leave = () => {
      source.unpipe(target);
      // Unread output would block the process.
      source.resume();
    };
    target.once("close", leave).on("error", leave);
    source.pipe(target, { end: false });
  }
  // A broken output counts as ended: the exit status tells more.
  await finished(source).catch(() => undefined);
}

/** Passes input on; the process's input ends when the client's does, or when the client is gone. */
export function passInput(source: Readable, target: Writable): void {
  const end = () => void target.end();
  source.once("close", end).on("error", end);
  target.on("error", () => source.unpipe(target).resume());
  source.pipe(target);
}

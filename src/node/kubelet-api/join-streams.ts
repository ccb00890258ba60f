// Joins the streams of a process with those of a client. Either may vanish at any moment; an error that
// nobody listens to would end the agent, so none is passed from one to the other.
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";

/** Resolves when the process has said everything, heard or not. */
export async function passOutput(source: Readable, target: Writable | undefined): Promise<void> {
  if (target === undefined) source.resume();
  else {
    const leave = () => {
      source.unpipe(target);
      // Unread, it would hold up the process.
      source.resume();
    };
    target.once("close", leave).on("error", leave);
    source.pipe(target, { end: false });
  }
  // An output that broke off is at its end, too: how the process ended tells more.
  await finished(source).catch(() => undefined);
}

/** The process is told when the client has no more to say, or is gone. */
export function passInput(source: Readable, target: Writable): void {
  const end = () => void target.end();
  source.once("close", end).on("error", end);
  target.on("error", () => source.unpipe(target).resume());
  source.pipe(target);
}

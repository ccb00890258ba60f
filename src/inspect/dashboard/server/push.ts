// Pushes news to one page for as long as it listens.

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type Clock, pause } from "../../../base/host/clock.ts";
import { Wakeup } from "../../../base/host/wakeup.ts";
import type { Message } from "../model/wire.ts";
import type { Feed } from "./feed.ts";

/** The time between two rounds of news: changes of one object within it are one. */
const roundMs = 100;
const aliveMs = 10_000;

/** Writes what a feed tells, a line for each message, until the page goes or the signal aborts. */
export async function push(
  response: ServerResponse,
  {
    feed,
    clock,
    signal,
  }: { readonly feed: Feed; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const wakeup = new Wakeup(clock);
  const listener = feed.open(() => wakeup.now("news"));
  wakeup.every(aliveMs, "alive");
  try {
    while (!signal.aborted) {
      const reasons = await wakeup.wait(signal);
      if (reasons.has("alive")) await write(response, { type: "alive" }, signal);
      for (const message of listener.take()) await write(response, message, signal);
      await pause(clock, roundMs, signal);
    }
  } finally {
    wakeup.stop();
    listener.close();
    response.end();
  }
}

/** Waits while the page is slow: meanwhile changes are only noted. */
async function write(
  response: ServerResponse,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || response.write(`${JSON.stringify(message)}\n`)) return;
  await once(response, "drain", { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

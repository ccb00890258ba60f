// Reports every pod that joins or leaves a group: one loop journals what the server says, another delivers
// what is journaled, each at its own pace.

import { type BackOff, delayAfter } from "../../../api/client/back-off.ts";
import { ApiError, isGone, isTimeout } from "../../../api/client/errors.ts";
import type { Selection } from "../../../api/client/options.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Pod } from "../../../api/types/core.ts";
import { type Clock, pause } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Log } from "../../../base/program/log.ts";
import { runAll } from "../../../base/program/run-all.ts";
import type { Hook } from "./hook.ts";
import type { Journal } from "./journal.ts";
import { memberOf } from "./member.ts";

export interface GroupOptions {
  readonly pods: ResourceClient<Pod>;
  readonly selection: Selection;
  readonly journal: Journal;
  readonly hook: Hook;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const backOff: BackOff = { initialMs: 200, maximumMs: 30_000 };
const watchSeconds = 300;

export async function watchGroup(options: GroupOptions, signal: AbortSignal): Promise<void> {
  await runAll(
    [
      { name: "watch", run: (stop) => follow(options, stop) },
      { name: "hook", run: (stop) => tell(options, stop) },
    ],
    signal,
  );
}

/** Watches from the last version seen, even before a restart; without one, lists and compares all pods. */
async function follow(options: GroupOptions, signal: AbortSignal): Promise<void> {
  const { journal, clock, random, log } = options;
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (journal.resourceVersion === undefined) await readAll(options, signal);
      await watchOnce(options, signal);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (isGone(error) || isTimeout(error)) journal.forgetVersion();
      if (!isGone(error)) log.warn("Cannot follow the group; trying again", { error });
      const askedToWait = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      const wait = Math.max(askedToWait, delayAfter(failures, backOff, random));
      await pause(clock, wait, signal);
    }
  }
}

async function readAll(
  { pods, selection, journal }: GroupOptions,
  signal: AbortSignal,
): Promise<void> {
  const found: Pod[] = [];
  let version = "";
  for await (const page of pods.pages({ ...selection, signal })) {
    found.push(...page.items);
    version = page.resourceVersion;
  }
  await journal.replace(
    found.flatMap((pod) => memberOf(pod) ?? []),
    version,
  );
}

async function watchOnce(options: GroupOptions, signal: AbortSignal): Promise<void> {
  const { pods, selection, journal } = options;
  const events = await pods.watch({
    ...selection,
    resourceVersion: journal.resourceVersion ?? "",
    bookmarks: true,
    timeoutSeconds: watchSeconds,
    retries: 0,
    signal,
  });
  for await (const event of events) {
    if (event.type === "BOOKMARK") {
      await journal.seen(event.resourceVersion);
      continue;
    }
    const { uid = "", resourceVersion = "" } = event.object.metadata;
    const member = event.type === "DELETED" ? undefined : memberOf(event.object);
    await journal.put(uid, member, resourceVersion);
  }
}

/** Delivers events in order: each waits until the one before it was delivered. */
async function tell(options: GroupOptions, signal: AbortSignal): Promise<void> {
  const { journal, hook, clock, random, log } = options;
  for (let failures = 0; ; ) {
    const event = await journal.next(signal);
    if (event === undefined) return;
    try {
      await hook(event, signal);
      await journal.told(event);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      log.warn("Cannot tell an event; trying again", { id: event.id, error });
      await pause(clock, delayAfter(failures, backOff, random), signal);
    }
  }
}

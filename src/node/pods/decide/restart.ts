// The back-off between restarts of a container.

import type { RestartDelays } from "../options.ts";
import type { ContainerView } from "./view.ts";

/** Returns the delay before a restart: none the first time, then it doubles up to the maximum. */
export function restartDelay(crashes: number, delays: RestartDelays): number {
  if (crashes <= 1) return 0;
  return Math.min(delays.maximumMs, delays.initialMs * 2 ** Math.min(40, crashes - 2));
}

/** Returns the time at which an exited container may be restarted. */
export function restartAt({ current, crashes }: ContainerView, delays: RestartDelays): number {
  return (current?.finishedAt?.getTime() ?? 0) + restartDelay(crashes, delays);
}

/** Returns the number of exits in a row, this one included; a long enough run starts the count over. */
export function crashesAfter(
  crashes: number,
  ended: { readonly startedAt: Date; readonly finishedAt?: Date },
  { resetMs }: RestartDelays,
): number {
  const { startedAt, finishedAt = startedAt } = ended;
  return finishedAt.getTime() - startedAt.getTime() >= resetMs ? 1 : crashes + 1;
}

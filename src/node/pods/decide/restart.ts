// How long a container that ended must wait before it begins again.

import type { RestartDelays } from "../options.ts";
import type { ContainerView } from "./view.ts";

/** At once the first time, then longer and longer. */
export function restartDelay(crashes: number, delays: RestartDelays): number {
  if (crashes <= 1) return 0;
  return Math.min(delays.maximumMs, delays.initialMs * 2 ** Math.min(40, crashes - 2));
}

/** When a container that has ended may begin again. */
export function restartAt({ current, crashes }: ContainerView, delays: RestartDelays): number {
  return (current?.finishedAt?.getTime() ?? 0) + restartDelay(crashes, delays);
}

/** How often in a row it has ended, with this time. */
export function crashesAfter(
  crashes: number,
  ended: { readonly startedAt: Date; readonly finishedAt?: Date },
  { resetMs }: RestartDelays,
): number {
  const { startedAt, finishedAt = startedAt } = ended;
  return finishedAt.getTime() - startedAt.getTime() >= resetMs ? 1 : crashes + 1;
}

// Computes which time of a CronJob's schedule is due.

import type { Remark } from "../../../../api/client/events.ts";
import { parseSchedule, ScheduleError } from "../../../../api/kinds/batch.ts";
import type { CronJob } from "../../../../api/types/batch.ts";
import { nextTime } from "./next-time.ts";

export interface Due {
  /** The last time that has passed without a job. */
  readonly time: number | undefined;
  /** The number of times that have passed without a job. */
  readonly missed: number;
  /** The first time in the future. */
  readonly next: number | undefined;
}

/** The most missed times to count: more are a sign of wrong clocks. */
export const mostMissed = 100;

/** Returns what is wrong with the schedule, in words for its user. */
export function scheduleFault({ spec }: CronJob): Remark | undefined {
  const warn = (reason: string, message: string): Remark => ({ type: "Warning", reason, message });
  try {
    nextTime(parseSchedule(spec.schedule), 0, zoneOf(spec));
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) {
      return warn(
        "UnparseableSchedule",
        `unparseable schedule: ${spec.schedule} : ${error.message}`,
      );
    }
    if (!(error instanceof RangeError)) throw error;
    return warn("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(spec.timeZone)}`);
  }
}

export function dueAt({ metadata, spec, status }: CronJob, now: number): Due {
  const schedule = parseSchedule(spec.schedule);
  const zone = zoneOf(spec);
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "") || now;
  const { startingDeadlineSeconds } = spec;
  const earliest =
    startingDeadlineSeconds === undefined
      ? since
      : Math.max(since, now - 1000 * startingDeadlineSeconds);
  let time: number | undefined;
  let missed = 0;
  let next = nextTime(schedule, earliest, zone);
  while (next !== undefined && next <= now && missed < mostMissed) {
    time = next;
    missed += 1;
    next = nextTime(schedule, next, zone);
  }
  if (missed < mostMissed || next === undefined) return { time, missed, next };
  return { ...lastBefore(now), missed };

  /** Finds the last time by searching backwards from the present, in growing spans. */
  function lastBefore(end: number): Pick<Due, "time" | "next"> {
    for (let span = 60_000; ; span *= 2) {
      let found = nextTime(schedule, Math.max(earliest, end - span), zone);
      if (found === undefined || found > end) continue;
      for (;;) {
        const later = nextTime(schedule, found, zone);
        if (later === undefined || later > end) return { time: found, next: later };
        found = later;
      }
    }
  }
}

/** Returns the time zone: UTC if the CronJob names none. */
function zoneOf({ timeZone = "UTC" }: CronJob["spec"]): string {
  return timeZone;
}

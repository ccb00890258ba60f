// The parts of timestamps and durations.
import { type DateParts, dateParts } from "../runtime/times.ts";
import { CelError, type Duration, type Timestamp } from "../runtime/value.ts";
import type { Implementation, Library } from "./library.ts";

function part(id: string, read: (parts: DateParts) => number) {
  const run: Implementation = (value, zone = "UTC") => {
    const parts = dateParts(value as Timestamp, zone as string);
    return parts instanceof CelError ? parts : BigInt(read(parts));
  };
  return {
    [id]: ["timestamp.() int", run] as const,
    [`${id}_with_tz`]: ["timestamp.(string) int", run] as const,
  };
}

const inUnits =
  (nanos: bigint): Implementation =>
  (value) =>
    (value as Duration).nanos / nanos;
const duration = (nanos: bigint) => ["duration.() int", inUnits(nanos)] as const;

export const times: Library = {
  getFullYear: part("timestamp_to_year", ({ year }) => year),
  getMonth: part("timestamp_to_month", ({ month }) => month),
  getDayOfYear: part("timestamp_to_day_of_year", ({ dayOfYear }) => dayOfYear),
  getDayOfMonth: part("timestamp_to_day_of_month", ({ day }) => day - 1),
  getDate: part("timestamp_to_day_of_month_1_based", ({ day }) => day),
  getDayOfWeek: part("timestamp_to_day_of_week", ({ dayOfWeek }) => dayOfWeek),
  getHours: {
    ...part("timestamp_to_hours", ({ hours }) => hours),
    duration_to_hours: duration(3_600_000_000_000n),
  },
  getMinutes: {
    ...part("timestamp_to_minutes", ({ minutes }) => minutes),
    duration_to_minutes: duration(60_000_000_000n),
  },
  getSeconds: {
    ...part("timestamp_to_seconds", ({ seconds }) => seconds),
    duration_to_seconds: duration(1_000_000_000n),
  },
  getMilliseconds: {
    ...part("timestamp_to_milliseconds", ({ milliseconds }) => milliseconds),
    duration_to_milliseconds: duration(1_000_000n),
  },
};

// Schedules as cron writes them: minute, hour, day of the month, month, day of the week.

/** The values of one field that a moment must have to match. */
export type Moments = ReadonlySet<number>;

export interface Schedule {
  readonly minutes: Moments;
  readonly hours: Moments;
  readonly days: Moments;
  readonly months: Moments;
  readonly weekdays: Moments;
  /** Says that a day matches when either of two restricted fields does, as in cron. */
  readonly anyDay: boolean;
}

/** A fixed period, independent of the time of day. */
export interface Interval {
  readonly everySeconds: number;
}

export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

interface Field {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = "sun mon tue wed thu fri sat".split(" ");
const fields = {
  minutes: { low: 0, high: 59 },
  hours: { low: 0, high: 23 },
  days: { low: 1, high: 31 },
  months: { low: 1, high: 12, names: months },
  weekdays: { low: 0, high: 6, names: weekdays },
} as const satisfies Record<string, Field>;

const shorthands = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** Parses a schedule; throws a ScheduleError that says which part is wrong. */
export function parseSchedule(text: string): Schedule | Interval {
  const every = /^@every (.*)$/.exec(text);
  if (every !== null) return { everySeconds: secondsOf(every[1] ?? "", text) };
  if (text.startsWith("@") && !shorthands.has(text)) {
    throw new ScheduleError(`unrecognized descriptor: ${text}`);
  }
  const words = (shorthands.get(text) ?? text).split(/\s+/).filter((word) => word !== "");
  if (words.length !== 5) {
    throw new ScheduleError(
      `expected exactly 5 fields, found ${words.length}: [${words.join(" ")}]`,
    );
  }
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = words;
  return {
    minutes: momentsOf(minute, fields.minutes),
    hours: momentsOf(hour, fields.hours),
    days: momentsOf(day, fields.days),
    months: momentsOf(month, fields.months),
    weekdays: momentsOf(weekday, fields.weekdays),
    anyDay: !/^[*?]/.test(day) && !/^[*?]/.test(weekday),
  };
}

function momentsOf(text: string, field: Field): Moments {
  const moments = new Set<number>();
  for (const part of text.split(",").filter((one) => one !== "")) {
    const { first, last, step } = readRange(part, field);
    for (let moment = first; moment <= last; moment += step) moments.add(moment);
  }
  return moments;
}

function readRange(text: string, field: Field): { first: number; last: number; step: number } {
  const [range = "", stepText, ...surplus] = text.split("/");
  const [start = "", end, ...more] = range.split("-");
  if (more.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  if (surplus.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const isAll = start === "*" || start === "?";
  const first = isAll ? field.low : readNumber(start, field);
  const isOpen = isAll || (stepText !== undefined && end === undefined);
  const last = isOpen ? field.high : end === undefined ? first : readNumber(end, field);
  const step = stepText === undefined ? 1 : readNumber(stepText, { low: 0, high: 0 });
  if (first < field.low) {
    throw new ScheduleError(`beginning of range (${first}) below minimum (${field.low}): ${text}`);
  }
  if (last > field.high) {
    throw new ScheduleError(`end of range (${last}) above maximum (${field.high}): ${text}`);
  }
  if (first > last) {
    throw new ScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  }
  if (step === 0) {
    throw new ScheduleError(`step of range should be a positive number: ${text}`);
  }
  return { first, last, step };
}

function readNumber(text: string, { low, names }: Field): number {
  const position = names?.indexOf(text.toLowerCase()) ?? -1;
  if (position >= 0) return position + low;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ScheduleError(`failed to parse int from ${text}: it is no number`);
}

const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };

function secondsOf(duration: string, text: string): number {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== duration) {
    throw new ScheduleError(`failed to parse duration ${text}: it is no duration`);
  }
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitSeconds[unit ?? ""] ?? 0),
    0,
  );
  return Math.max(1, Math.floor(seconds));
}

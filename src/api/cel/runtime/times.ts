// Texts of timestamps and durations, and the parts of a timestamp in a time zone.
import { duration, plainText, timestamp } from "./numbers.ts";
import { CelError, type Duration, type Timestamp } from "./value.ts";

const second = 1_000_000_000n;
const form = /^(\d{4})-(\d\d)-(\d\d)[T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,}))?(Z|[+-]\d\d:\d\d)$/;

/** Parses the form of RFC 3339. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, seconds] = found.slice(1, 7).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year as number, (month as number) - 1, day);
  const isDay = date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  if (!isDay || (hour as number) > 23 || (minute as number) > 59 || (seconds as number) > 59) {
    return undefined;
  }
  date.setUTCHours(hour as number, minute, seconds);
  const zone = found[8] ?? "Z";
  const offset = zone === "Z" ? 0 : offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const fraction = BigInt((found[7] ?? "").slice(0, 9).padEnd(9, "0"));
  return timestamp(BigInt(date.getTime() - offset * 60_000) * 1_000_000n + fraction);
}

export function timestampText({ nanos }: Timestamp): string {
  const seconds = floorDivide(nanos, second);
  const fraction = nanos - seconds * second;
  const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const digits = fraction === 0n ? "" : `.${String(fraction).padStart(9, "0").replace(/0+$/, "")}`;
  return `${iso}${digits}Z`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};

/** Parses Go's form, such as `1h2m3.5s`. */
export function parseDuration(text: string): Duration | CelError | undefined {
  const isNegative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return duration(0n);
  if (rest === "") return undefined;
  let total = 0n;
  while (rest !== "") {
    const found = /^(\d+)?(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (found === null) return undefined;
    const [all, whole = "", fraction = "", unit = ""] = found;
    if (whole === "" && fraction === "") return undefined;
    const scale = units[unit] as bigint;
    total += BigInt(whole || "0") * scale;
    if (fraction !== "") {
      const kept = fraction.slice(0, 18);
      total += (BigInt(kept) * scale) / 10n ** BigInt(kept.length);
    }
    rest = rest.slice(all.length);
  }
  return duration(isNegative ? -total : total);
}

export function durationText({ nanos }: Duration): string {
  return `${plainText(Number(nanos) / 1e9)}s`;
}

export interface DateParts {
  readonly year: number;
  /** The month, from 0. */
  readonly month: number;
  readonly day: number;
  /** The day of the year, from 0. */
  readonly dayOfYear: number;
  /** The day of the week, from Sunday. */
  readonly dayOfWeek: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** Returns the parts of a timestamp in a time zone: a name such as `Europe/Paris`, or an offset. */
export function dateParts({ nanos }: Timestamp, zone: string): DateParts | CelError {
  const milliseconds = Number(floorDivide(nanos, 1_000_000n));
  const offset = zoneOffset(milliseconds, zone);
  if (offset === undefined) return new CelError(`unknown time zone ${zone}`);
  const date = new Date(milliseconds + offset * 60_000);
  const year = date.getUTCFullYear();
  const start = new Date(0);
  start.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    dayOfYear: Math.floor((date.getTime() - start.getTime()) / 86_400_000),
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: date.getUTCMilliseconds(),
  };
}

function zoneOffset(milliseconds: number, zone: string): number | undefined {
  if (zone === "" || zone === "UTC") return 0;
  if (zone.includes(":")) return offsetMinutes(zone);
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  const parts = new Map(
    format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const local = new Date(0);
  local.setUTCFullYear(part("year"), part("month") - 1, part("day"));
  local.setUTCHours(part("hour") % 24, part("minute"), part("second"));
  return Math.round((local.getTime() - Math.floor(milliseconds / 1000) * 1000) / 60_000);
}

/** Parses `-05:30`; `undefined` for another form. */
function offsetMinutes(text: string): number | undefined {
  const found = /^([+-]?)(\d{1,2}):(\d\d)$/.exec(text);
  if (found === null) return undefined;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return found[1] === "-" ? -minutes : minutes;
}

/** The formats of time zones that were asked for; names that do not exist are not kept. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, made);
    return made;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

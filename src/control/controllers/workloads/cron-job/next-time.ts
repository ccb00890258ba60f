// Computes the next time of a schedule in a time zone. An hour that the zone skips has no times, and one that
// it repeats has them twice, as in cron.

import type { Interval, Schedule } from "../../../../api/kinds/batch.ts";

const minute = 60_000;
const hour = 60 * minute;
const halfHour = 30 * minute;
/** The longest search: every schedule that occurs at all occurs within it, but for some of leap days. */
const longest = 5 * 366 * 24 * hour;

/** Returns the first time after `after`; `undefined` if there is none for years. */
export function nextTime(
  schedule: Schedule | Interval,
  after: number,
  zone: string,
): number | undefined {
  if ("everySeconds" in schedule) {
    return Math.floor(after / 1000) * 1000 + 1000 * schedule.everySeconds;
  }
  const read = clockOf(zone);
  let time = (Math.floor(after / minute) + 1) * minute;
  const end = time + longest;
  while (time < end) {
    const local = read(time);
    if (!schedule.months.has(local.month) || !isDay(schedule, local)) time = nextDay(time, read);
    else if (!schedule.hours.has(local.hour)) time += (60 - local.minute) * minute;
    else if (!schedule.minutes.has(local.minute)) time += minute;
    else return time;
  }
  return undefined;
}

interface Local {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

type Clock = (time: number) => Local;

function isDay({ days, weekdays, anyDay }: Schedule, { day, weekday }: Local): boolean {
  const [isOfMonth, isOfWeek] = [days.has(day), weekdays.has(weekday)];
  return anyDay ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
}

/** Returns the start of the next day: days differ in length, and do not all begin at midnight. */
function nextDay(time: number, read: Clock): number {
  const { day, hour: hours, minute: minutes } = read(time);
  let next = time + (24 - hours) * hour - minutes * minute;
  while (read(next).day === day) next += halfHour;
  while (read(next - halfHour).day !== day) next -= halfHour;
  return next;
}

const clocks = new Map<string, Clock>();

function clockOf(zone: string): Clock {
  let clock = clocks.get(zone);
  if (clock === undefined) clocks.set(zone, (clock = zone === "UTC" ? utc : readerOf(zone)));
  return clock;
}

function utc(time: number): Local {
  const date = new Date(time);
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Returns a clock of the zone; throws a RangeError if there is no such zone. */
function readerOf(zone: string): Clock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    month: "numeric",
    day: "numeric",
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
  });
  return (time) => {
    const parts = Object.fromEntries(
      format.formatToParts(time).map(({ type, value }) => [type, value]),
    );
    return {
      month: Number(parts["month"]),
      day: Number(parts["day"]),
      weekday: weekdays.indexOf(parts["weekday"] ?? ""),
      hour: Number(parts["hour"]),
      minute: Number(parts["minute"]),
    };
  };
}

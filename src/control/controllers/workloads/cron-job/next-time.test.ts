import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseSchedule } from "../../../../api/kinds/batch.ts";
import { nextTime } from "./next-time.ts";

const after = (schedule: string, time: string, zone = "UTC"): string => {
  const next = nextTime(parseSchedule(schedule), Date.parse(time), zone);
  return next === undefined ? "never" : new Date(next).toISOString().slice(0, 16);
};

describe("a schedule is due next", () => {
  const cases: [schedule: string, time: string, zone: string, next: string][] = [
    ["* * * * *", "2026-01-01T00:00:00Z", "UTC", "2026-01-01T00:01"],
    ["* * * * *", "2026-01-01T00:00:59.999Z", "UTC", "2026-01-01T00:01"],
    ["*/15 * * * *", "2026-01-01T00:46:00Z", "UTC", "2026-01-01T01:00"],
    ["30 9 * * 1-5", "2026-01-02T09:30:00Z", "UTC", "2026-01-05T09:30"],
    ["0 0 1 * *", "2026-01-31T12:00:00Z", "UTC", "2026-02-01T00:00"],
    ["0 0 31 * *", "2026-02-01T00:00:00Z", "UTC", "2026-03-31T00:00"],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", "UTC", "2028-02-29T00:00"],
    ["0 0 30 2 *", "2026-01-01T00:00:00Z", "UTC", "never"],
    // Restricted days of month and of week: either is enough.
    ["0 0 13 * 5", "2026-01-01T00:00:00Z", "UTC", "2026-01-02T00:00"],
    ["@hourly", "2026-01-01T00:30:00Z", "UTC", "2026-01-01T01:00"],
    ["@every 90s", "2026-01-01T00:00:30Z", "UTC", "2026-01-01T00:02"],
    ["0 9 * * *", "2026-01-01T00:00:00Z", "Asia/Tokyo", "2026-01-02T00:00"],
    ["0 9 * * *", "2026-07-01T00:00:00Z", "Europe/Berlin", "2026-07-01T07:00"],
    ["0 9 * * *", "2026-01-01T00:00:00Z", "Asia/Kathmandu", "2026-01-01T03:15"],
    // Clocks go forward from 2 to 3 on 29 March: half past two does not exist.
    ["30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin", "2026-03-30T00:30"],
    ["0 * * * *", "2026-03-29T00:30:00Z", "Europe/Berlin", "2026-03-29T01:00"],
    // Clocks go back from 3 to 2 on 25 October: half past two exists twice.
    ["30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin", "2026-10-25T00:30"],
    ["30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-25T01:30"],
    ["30 2 * * *", "2026-10-25T01:30:00Z", "Europe/Berlin", "2026-10-26T01:30"],
    // A day that begins at one o'clock.
    ["0 1 6 9 *", "2026-09-05T12:00:00Z", "America/Santiago", "2026-09-06T04:00"],
  ];
  for (const [schedule, time, zone, next] of cases) {
    test(`${schedule} in ${zone} after ${time}: ${next}`, () => {
      assert.equal(after(schedule, time, zone), next);
    });
  }

  test("the same, step by step, as by looking at every minute", () => {
    const zones = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
    );
    const field = (low: number, high: number) =>
      fc.oneof(fc.constant("*"), fc.integer({ min: low, max: high }).map(String));
    const start = fc
      .integer({ min: Date.UTC(2026, 0), max: Date.UTC(2026, 11) })
      .map((time) => Math.floor(time / 60_000) * 60_000);
    fc.assert(
      fc.property(zones, field(0, 59), field(0, 23), start, (zone, minutes, hours, begin) => {
        const schedule = parseSchedule(`${minutes} ${hours} * * *`);
        const format = new Intl.DateTimeFormat("en-US", {
          timeZone: zone,
          hourCycle: "h23",
          hour: "numeric",
          minute: "numeric",
        });
        let time = begin + 60_000;
        for (; ; time += 60_000) {
          const parts = format.formatToParts(time);
          const value = (wanted: string) =>
            Number(parts.find(({ type }) => type === wanted)?.value);
          const isDue =
            (minutes === "*" || value("minute") === Number(minutes)) &&
            (hours === "*" || value("hour") === Number(hours));
          if (isDue) break;
        }
        assert.equal(nextTime(schedule, begin, zone), time);
      }),
      { numRuns: 40 },
    );
  });
});

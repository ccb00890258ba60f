import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSchedule } from "./schedule.ts";

test("a schedule names the moments of each field", () => {
  const schedule = parseSchedule("*/15 0-2,22 1 jan-mar MON");
  assert.ok("minutes" in schedule);
  assert.deepEqual([...schedule.minutes], [0, 15, 30, 45]);
  assert.deepEqual([...schedule.hours], [0, 1, 2, 22]);
  assert.deepEqual([...schedule.days], [1]);
  assert.deepEqual([...schedule.months], [1, 2, 3]);
  assert.deepEqual([...schedule.weekdays], [1]);
  assert.ok(schedule.anyDay);
});

test("a step without an end goes on to the last moment", () => {
  const schedule = parseSchedule("50/5 ? * * *");
  assert.ok("minutes" in schedule);
  assert.deepEqual([...schedule.minutes], [50, 55]);
  assert.equal(schedule.hours.size, 24);
  assert.ok(!schedule.anyDay);
});

test("a schedule may be a shorthand (@hourly) or an interval (@every 1h30m)", () => {
  assert.deepEqual(parseSchedule("@hourly"), parseSchedule("0 * * * *"));
  assert.deepEqual(parseSchedule("@weekly"), parseSchedule("0 0 * * sun"));
  assert.deepEqual(parseSchedule("@every 1h30m"), { everySeconds: 5400 });
  assert.deepEqual(parseSchedule("@every 10ms"), { everySeconds: 1 });
});

const wrong: readonly [text: string, message: RegExp][] = [
  ["* * * *", /expected exactly 5 fields, found 4/],
  ["60 * * * *", /end of range \(60\) above maximum \(59\)/],
  ["* * 0 * *", /beginning of range \(0\) below minimum \(1\)/],
  ["5-3 * * * *", /beginning of range \(5\) beyond end of range \(3\)/],
  ["*/0 * * * *", /step of range should be a positive number/],
  ["1-2-3 * * * *", /too many hyphens/],
  ["1/2/3 * * * *", /too many slashes/],
  ["x * * * *", /failed to parse int from x/],
  ["@sometimes", /unrecognized descriptor/],
  ["@every soon", /failed to parse duration/],
  ["toString", /expected exactly 5 fields, found 1/],
];

for (const [text, message] of wrong) {
  test(`a schedule of ${JSON.stringify(text)} is refused`, () => {
    assert.throws(() => parseSchedule(text), message);
  });
}

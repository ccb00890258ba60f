import assert from "node:assert/strict";
import { test } from "node:test";
import { allSlots, nextFile, type PlannedFile } from "../../tools/test-plan.ts";

const light = (name: string): PlannedFile => ({ file: name, slots: 1 });
const calm: PlannedFile = { file: "calm", slots: allSlots - 1 };
const full = Array.from({ length: allSlots }, (_, index) => light(`r${index}`));
const idle = { idle: 0.6, sinceStartMs: 60_000 };
const busy = { idle: 0.1, sinceStartMs: 60_000 };

test("the first file that fits into the free slots begins, however busy the machine is", () => {
  const running = [light("r1")];
  assert.equal(nextFile([calm, light("a")], { running, ...busy })?.file, "calm");
  assert.equal(nextFile([calm, light("a")], { running: full.slice(1), ...busy })?.file, "a");
});

test("when all slots are taken, one more file begins only while processors are idle", () => {
  assert.equal(nextFile([light("a")], { running: full, ...busy }), undefined);
  assert.equal(nextFile([light("a")], { running: full, ...idle })?.file, "a");
});

test("a file that has just begun gets time to show what it takes before an extra one begins", () => {
  const state = { running: full, idle: 0.6, sinceStartMs: 1_000 };
  assert.equal(nextFile([light("a")], state), undefined);
});

test("no extra file begins beside one that asks for calm, nor does one that asks for calm begin as an extra", () => {
  const running = [calm, light("r1")];
  assert.equal(nextFile([light("a")], { running, ...idle }), undefined);
  assert.equal(nextFile([calm], { running: full, ...idle }), undefined);
});

test("the number of extra files is bounded", () => {
  const running = [...full, light("e1"), light("e2")];
  assert.equal(nextFile([light("a")], { running, ...idle }), undefined);
});

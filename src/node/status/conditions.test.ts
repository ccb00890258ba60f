import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsOf, mergeConditions } from "./conditions.ts";
import type { Supplies } from "./machine.ts";

const plenty: Supplies = {
  cpus: 4,
  memoryBytes: 8e9,
  memoryFreeBytes: 4e9,
  diskBytes: 1e11,
  diskFreeBytes: 5e10,
  inodes: 1e6,
  inodesFree: 5e5,
  tasks: 300,
  tasksMost: 32_768,
};

function statuses(supplies: Partial<Supplies>, missing: readonly string[] = []): string {
  return findingsOf({ ...plenty, ...supplies }, missing)
    .filter(({ status, type }) => (type === "Ready") !== (status === "True"))
    .map(({ type }) => type)
    .join();
}

test("a node tells what it is short of", () => {
  assert.equal(statuses({}), "");
  assert.equal(statuses({ memoryFreeBytes: 5e7 }), "MemoryPressure");
  assert.equal(statuses({ diskFreeBytes: 9e9 }), "DiskPressure");
  assert.equal(statuses({ inodesFree: 1e4 }), "DiskPressure");
  // File systems without inode counts report none in total.
  assert.equal(statuses({ inodes: 0, inodesFree: 0 }), "");
  assert.equal(statuses({ tasks: 32_000 }), "PIDPressure");
});

test("it is ready when nothing is missing, and says what is", () => {
  const ready = findingsOf(plenty, ["no network yet", "no runtime"]).at(-1);
  assert.equal(ready?.status, "False");
  assert.equal(ready?.message, "no network yet; no runtime");
});

test("what others say stays, and what is as before has been so since then", () => {
  const since = "2026-01-01T00:00:00Z";
  const present = [
    { type: "NetworkUnavailable", status: "False" },
    { type: "Ready", status: "True", lastTransitionTime: since },
    { type: "DiskPressure", status: "True", lastTransitionTime: since },
  ];
  const now = new Date("2026-02-02T02:02:02.222Z");
  const merged = mergeConditions(present, findingsOf(plenty, []), now);
  const times = Object.fromEntries(merged.map((one) => [one.type, one.lastTransitionTime]));
  assert.deepEqual(times, {
    NetworkUnavailable: undefined,
    MemoryPressure: "2026-02-02T02:02:02Z",
    DiskPressure: "2026-02-02T02:02:02Z",
    PIDPressure: "2026-02-02T02:02:02Z",
    Ready: since,
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createLog } from "../../../base/program/log.ts";
import type { Store } from "../../store/store.ts";
import { runCompaction } from "../compaction.ts";
import { Snapshots } from "./snapshots.ts";

test("[API-1] a list is forgotten with the history of its revision, however often it was read", async () => {
  const snapshots = new Snapshots();
  const id = (revision: number) => ({ collection: "core/pods", namespace: undefined, revision });
  snapshots.keep(id(7), []);
  snapshots.keep(id(8), []);
  const revisions = [8, 9];
  const store = {
    revision: () => Promise.resolve(revisions.shift() ?? 9),
    compact: () => Promise.resolve(),
  } as unknown as Store;
  const enough = new AbortController();
  const compacted = (revision: number) => {
    assert.notEqual(snapshots.find(id(7)), undefined);
    snapshots.forget(revision);
    enough.abort();
  };
  const log = createLog({ write: () => undefined, format: "text" });
  const stopped = once(enough.signal, "abort");
  await runCompaction({ store, log, intervalMs: 1, compacted }, enough.signal);
  await stopped;
  assert.equal(snapshots.find(id(7)), undefined);
  assert.notEqual(snapshots.find(id(8)), undefined);
});

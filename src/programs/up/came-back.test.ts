import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "../../api/types/core.ts";
import { isOutdated, isReadySince, momentOf } from "./came-back.ts";

const since = momentOf(Date.parse("2026-01-01T00:00:10.900Z"));

test("a node is ready when it has said so in this run", () => {
  const node = (status: "True" | "False", lastHeartbeatTime: string) =>
    ({ status: { conditions: [{ type: "Ready", status, lastHeartbeatTime }] } }) as Node;
  assert.equal(isReadySince(node("True", "2026-01-01T00:00:10Z"), since), true);
  assert.equal(isReadySince(node("True", "2026-01-01T00:00:09Z"), since), false);
  assert.equal(isReadySince(node("False", "2026-01-01T00:00:11Z"), since), false);
  assert.equal(isReadySince({ status: {} } as Node, since), false);
});

test("a pod is outdated while a container of the run before is said to run", () => {
  const pod = (...states: readonly object[]) =>
    ({ status: { containerStatuses: states.map((state) => ({ state })) } }) as Pod;
  const [old, fresh] = ["09", "11"].map((second) => ({
    running: { startedAt: `2026-01-01T00:00:${second}Z` },
  }));
  assert.equal(isOutdated(pod(old ?? {}), since), true);
  assert.equal(isOutdated(pod(fresh ?? {}, old ?? {}), since), true);
  assert.equal(isOutdated(pod(fresh ?? {}), since), false);
  assert.equal(isOutdated(pod({ waiting: { reason: "CrashLoopBackOff" } }), since), false);
  assert.equal(isOutdated(pod(), since), false);
});

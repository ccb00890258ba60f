import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "../../../api/types/coordination.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { announcerObserver } from "./observe.ts";
import { defaultTimes } from "./times.ts";

test("an announcer that does not renew its lease is silent, until it does", async () => {
  const clock = new FakeClock();
  const observe = announcerObserver(clock);
  const versions = { "node-1": 1, "node-2": 1 };
  const silent = (): readonly string[] => {
    const leases = Object.entries(versions).map(([node, version]) => leaseOf(node, version));
    return observe({ leases, services: [], slices: [], nodes: [] }).silent;
  };
  assert.deepEqual(silent(), [], "whoever is seen for the first time has time to speak");
  await clock.advance(defaultTimes.renewMs);
  versions["node-1"] += 1;
  assert.deepEqual(silent(), []);
  await clock.advance(defaultTimes.leaseMs - 1);
  assert.deepEqual(silent(), ["node-2"]);
  versions["node-2"] += 1;
  assert.deepEqual(silent(), []);
  await clock.advance(defaultTimes.leaseMs);
  assert.deepEqual(silent(), ["node-1", "node-2"]);
});

function leaseOf(node: string, version: number): Lease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      namespace: "kube-node-lease",
      name: `${node}.announcer.tandem.internal`,
      resourceVersion: String(version),
    },
    spec: {},
  };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "../../../api/types/core.ts";
import type { NodeSummary } from "../ports.ts";
import { nodeMetrics, podMetrics } from "./metrics.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "p", uid: "u", labels: { app: "a" } },
  spec: { nodeName: "n", containers: [{ name: "main", image: "i" }] },
};
const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {} };
const usage = {
  cpu: { time: "2026-01-01T00:00:00Z", usageNanoCores: 1_500_000 },
  memory: { workingSetBytes: 2_048 },
};

test("metrics of a pod are those of its containers, found by its uid", () => {
  const summary: NodeSummary = {
    node: usage,
    pods: [{ podRef: { uid: "u" }, containers: [{ name: "main", ...usage }] }],
  };
  const found = podMetrics(pod, summary);
  assert.deepEqual(found?.containers, [
    { name: "main", usage: { cpu: "1500000n", memory: "2Ki" } },
  ]);
  assert.deepEqual(found?.metadata.labels, { app: "a" });
  assert.equal(podMetrics({ ...pod, metadata: { ...pod.metadata, uid: "v" } }, summary), undefined);
  assert.equal(nodeMetrics(node, summary)?.timestamp, "2026-01-01T00:00:00Z");
});

test("what a hostile node says is no object: amounts that are none are left out", () => {
  const bad = { cpu: { usageNanoCores: "1" as never }, memory: { workingSetBytes: Number.NaN } };
  const summary: NodeSummary = {
    node: bad,
    pods: [{ podRef: { uid: "u" }, containers: [{ name: "main", ...bad }] }],
  };
  assert.equal(nodeMetrics(node, summary), undefined);
  assert.equal(podMetrics(pod, summary), undefined);
  assert.equal(nodeMetrics(node, undefined), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, PodSpec } from "../../../api/types/core.ts";
import { requestsOf } from "./amounts.ts";

const container = (cpu: string, more: Partial<Container> = {}): Container => ({
  name: "c",
  resources: { requests: { cpu } },
  ...more,
});
const sidecar = { restartPolicy: "Always" };

const cases: [name: string, spec: PodSpec, cpu: number][] = [
  ["containers add up", { containers: [container("1"), container("250m")] }, 1250],
  [
    "an initialising container counts when it needs more than all that follow",
    { initContainers: [container("3"), container("2")], containers: [container("1")] },
    3000,
  ],
  [
    "sidecars run beside the containers",
    { initContainers: [container("500m", sidecar)], containers: [container("1")] },
    1500,
  ],
  [
    "sidecars run beside the initialising containers after them, not before",
    {
      initContainers: [container("2"), container("1", sidecar), container("2")],
      containers: [container("1")],
    },
    3000,
  ],
  ["overhead comes on top", { containers: [container("1")], overhead: { cpu: "100m" } }, 1100],
  [
    "what the pod asks for as a whole counts instead of its containers",
    { containers: [container("1")], resources: { requests: { cpu: "300m" } } },
    300,
  ],
  ["what is less than a thousandth counts as one", { containers: [container("1u")] }, 1],
];
for (const [name, spec, cpu] of cases) {
  test(name, () => assert.equal(requestsOf(spec).get("cpu"), cpu));
}

test("bytes and pieces are counted whole", () => {
  const requests = { memory: "1.5Gi", "example.com/gpu": "2" };
  const amounts = requestsOf({ containers: [{ name: "c", resources: { requests } }] });
  assert.deepEqual(Object.fromEntries(amounts), { "example.com/gpu": 2, memory: 1610612736 });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../../api/types/autoscaling-v2.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { PodMetrics } from "../../../api/types/metrics.ts";
import { podOf, readyStatus } from "../workloads/testing/objects.ts";
import { boundReplicas, type History } from "./behavior.ts";
import { judgeMetrics } from "./judge.ts";

const cpu = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

function autoscalerOf(
  spec: Partial<HorizontalPodAutoscaler["spec"]> = {},
): HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "default", name: "a" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 10,
      metrics: [cpu(50)],
      ...spec,
    },
  };
}

/** Pods that request 100m each, with the millicores they use; `undefined` if nothing is known. */
function given(used: readonly (number | undefined)[], isReady = true) {
  const pods: Pod[] = used.map((_, index) =>
    podOf(`p${index}`, {
      requests: { cpu: "100m" },
      status: isReady ? readyStatus() : { phase: "Pending" },
    }),
  );
  const metrics = used.flatMap((millis, index): PodMetrics[] =>
    millis === undefined
      ? []
      : [
          {
            apiVersion: "metrics.k8s.io/v1beta1",
            kind: "PodMetrics",
            metadata: { namespace: "default", name: `p${index}` },
            timestamp: "2026-01-01T00:00:00Z",
            window: "10s",
            containers: [
              { name: pods[index]?.spec.containers[0]?.name ?? "", usage: { cpu: `${millis}m` } },
            ],
          },
        ],
  );
  return { pods, metrics };
}

const judge = (used: readonly (number | undefined)[], spec = {}) =>
  judgeMetrics({ autoscaler: autoscalerOf(spec), replicas: used.length, ...given(used) });

describe("an autoscaler", () => {
  test("wants as many pods as bring their use to the target", () => {
    assert.equal(judge([100, 100]).replicas, 4);
    assert.equal(judge([10, 10, 10, 10]).replicas, 1);
    assert.deepEqual(judge([100, 50]).current, [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageValue: "75m", averageUtilization: 75 } },
      },
    ]);
  });

  test("leaves things as they are near the target", () => {
    assert.equal(judge([54, 54]).replicas, 2);
    assert.equal(judge([46, 46]).replicas, 2);
  });

  test("is careful where pods say nothing: idle before more, busy before fewer", () => {
    assert.equal(judge([100, undefined]).replicas, 2);
    assert.equal(judge([10, undefined]).replicas, 2);
    assert.equal(judge([200, undefined]).replicas, 4);
  });

  test("reports an external metric that nobody serves, and does not scale down meanwhile", () => {
    const external: MetricSpec = {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "Value", value: "1" } },
    };
    const { replicas, problem } = judge([10, 10], { metrics: [external, cpu(50)] });
    assert.equal(replicas, undefined);
    assert.equal(problem?.reason, "FailedGetExternalMetric");
    assert.match(problem?.message ?? "", /external.metrics.k8s.io/);
    // More is safe to do all the same.
    assert.equal(judge([100, 100], { metrics: [external, cpu(50)] }).replicas, 4);
    const nothing = judgeMetrics({
      autoscaler: autoscalerOf(),
      replicas: 1,
      ...given([10], false),
    });
    assert.match(nothing.problem?.message ?? "", /did not receive metrics for targeted pods/);
  });

  const none: History = { recommendations: [], changes: [] };
  const bound = (current: number, proposed: number, history = none, behavior = {}) =>
    boundReplicas({
      spec: autoscalerOf({ behavior, minReplicas: 2 }).spec,
      current,
      proposed,
      history,
      now: 1_000_000,
    });

  test("stays within its bounds, and says so", () => {
    assert.deepEqual(bound(3, 1).limit?.reason, "TooFewReplicas");
    assert.equal(bound(3, 1).replicas, 2);
    assert.equal(bound(8, 16).replicas, 10);
    assert.equal(bound(8, 16).limit?.reason, "TooManyReplicas");
  });

  test("goes no faster than its policies, and waits before it goes down", () => {
    const quick = bound(2, 10);
    assert.deepEqual([quick.replicas, quick.limit?.reason], [6, "ScaleUpLimit"]);
    const again = { recommendations: [], changes: [{ at: 990_000, by: 4 }] };
    assert.equal(bound(6, 10, again).replicas, 6);
    const before = { recommendations: [{ at: 900_000, replicas: 8 }], changes: [] };
    assert.deepEqual(bound(8, 3, before), { replicas: 8, isStabilized: true });
    const disabled = { scaleDown: { selectPolicy: "Disabled" } };
    assert.equal(bound(8, 3, none, disabled).replicas, 8);
    const slow = { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } };
    assert.equal(bound(8, 3, none, slow).replicas, 7);
  });

  test("never leaves its bounds and never turns round, whatever is proposed", () => {
    const number = fc.integer({ min: 0, max: 30 });
    const past = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 1_000_000 }), replicas: number }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 10 }),
        number,
        past,
        (current, proposed, recommendations) => {
          const { replicas } = bound(current, proposed, { recommendations, changes: [] });
          assert(replicas >= 2 && replicas <= 10);
          if (proposed >= current) assert(replicas >= current);
        },
      ),
      { numRuns: 200 },
    );
  });
});

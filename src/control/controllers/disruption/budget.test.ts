import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../../api/types/core.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../api/types/policy.ts";
import { defined } from "../../../base/json/defined.ts";
import { budgetStatus, leaveEndsIn } from "./budget.ts";
import { meantPods, type Scalable } from "./meant-pods.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const at = (offsetMs: number) => new Date(now + offsetMs).toISOString();
const metadata = { namespace: "shop", name: "web", generation: 3 };

function budget(spec: object, status?: PodDisruptionBudgetStatus): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata,
    spec,
    ...defined({ status }),
  };
}

function podsOf(ready: number, unready = 0): Pod[] {
  return Array.from({ length: ready + unready }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: `p${index}` },
    spec: { containers: [] },
    status: { conditions: [{ type: "Ready", status: index < ready ? "True" : "False" }] },
  }));
}

const cases: [spec: object, ready: number, unready: number, meant: number, allowed: number][] = [
  [{ minAvailable: 2 }, 3, 0, 3, 1],
  [{ minAvailable: 3 }, 3, 0, 3, 0],
  [{ minAvailable: 2 }, 2, 2, 4, 0],
  [{ minAvailable: "50%" }, 5, 0, 5, 2],
  [{ maxUnavailable: 1 }, 3, 0, 3, 1],
  [{ maxUnavailable: 1 }, 2, 1, 3, 0],
  [{ maxUnavailable: "34%" }, 3, 0, 3, 2],
  [{ maxUnavailable: 0 }, 3, 0, 3, 0],
  [{ minAvailable: 0 }, 0, 0, 0, 0],
  [{}, 3, 0, 3, 0],
];
for (const [spec, ready, unready, meant, allowed] of cases) {
  test(`${JSON.stringify(spec)} of ${ready} ready and ${unready} other pods lets ${allowed} go`, () => {
    const state = { budget: budget(spec), pods: podsOf(ready, unready), meant: () => meant, now };
    const status = budgetStatus(state);
    assert.equal(status.disruptionsAllowed, allowed);
    assert.equal(status.observedGeneration, 3);
    assert.equal(status.conditions?.[0]?.status, allowed > 0 ? "True" : "False");
  });
}

test("a pod that was given leave counts as gone, until it is clear that it stays", () => {
  const given = (since: string) =>
    budgetStatus({
      budget: budget({ minAvailable: 2 }, { disruptedPods: { p0: since, gone: since } }),
      pods: podsOf(3),
      meant: () => 3,
      now,
    });
  const soon = given(at(-1_000));
  assert.deepEqual(soon.disruptedPods, { p0: at(-1_000) });
  assert.equal(soon.disruptionsAllowed, 0);
  assert.equal(leaveEndsIn(soon, now), 119_000);
  const late = given(at(-120_000));
  assert.equal(late.disruptedPods, undefined);
  assert.equal(late.disruptionsAllowed, 1);
  assert.equal(leaveEndsIn(late, now), undefined);
});

test("pods are meant to be as many as what keeps them says, deployments first", () => {
  const keeper = (kind: string, uid: string, replicas: number, owner?: string): Scalable => ({
    apiVersion: "apps/v1",
    kind,
    metadata: {
      namespace: "shop",
      name: uid,
      uid,
      ...(owner === undefined ? {} : { ownerReferences: [reference("Deployment", owner)] }),
    },
    spec: { replicas },
  });
  const reference = (kind: string, uid: string) => ({
    apiVersion: "apps/v1",
    kind,
    name: uid,
    uid,
    controller: true,
  });
  const known = [
    keeper("Deployment", "d", 5),
    keeper("ReplicaSet", "old", 2, "d"),
    keeper("ReplicaSet", "new", 4, "d"),
    keeper("StatefulSet", "s", 3),
  ];
  const find = (_: string, { uid }: { uid: string }) =>
    known.find(({ metadata: { uid: its } }) => its === uid);
  const pods = podsOf(5).map((pod, index) => {
    const owners = [
      [reference("ReplicaSet", "old")],
      [reference("ReplicaSet", "new")],
      [reference("StatefulSet", "s")],
      [reference("StatefulSet", "s")],
      [],
    ];
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: owners[index] ?? [] } };
  });
  assert.equal(meantPods(pods, find), 8);
  const ofDaemons = { ...podsOf(1)[0], metadata: { namespace: "shop", name: "x" } } as Pod;
  ofDaemons.metadata.ownerReferences = [reference("DaemonSet", "ds")];
  assert.throws(() => meantPods([ofDaemons], find), /Cannot tell how many pods DaemonSet ds/);
});

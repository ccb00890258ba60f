import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import { templateOf } from "../testing/objects.ts";
import { deploymentOf, RolloutSimulation } from "../testing/rollout-simulation.ts";
import { planDeployment } from "./plan.ts";
import { conditionOf } from "./status.ts";

const start = Date.UTC(2026, 0, 1);

/** Returns a Deployment that has gone through the templates of these versions. */
function rolledOut(
  versions: readonly number[],
  spec: Partial<Deployment["spec"]> = {},
): RolloutSimulation {
  const simulation = new RolloutSimulation(deploymentOf(spec));
  for (const version of versions) {
    simulation.take({ type: "template", version });
    simulation.settle();
  }
  return simulation;
}

const annotation = ({ metadata }: ReplicaSet, name: string) =>
  metadata.annotations?.[`deployment.kubernetes.io/${name}`];
const imageOf = ({ spec }: ReplicaSet) => spec.template?.spec?.containers[0]?.image;
const planOf = (deployment: Deployment, sets: readonly ReplicaSet[], now = start) =>
  planDeployment({ deployment, sets, hasPods: () => false, now });
const condition = ({ deployment }: RolloutSimulation, type: string) => {
  const { status, reason } = conditionOf(deployment.status, type) ?? {};
  return `${status} ${reason}`;
};

describe("a new template", () => {
  test("gets a set of its own, whose pods no other set finds", () => {
    const { create, revision } = planOf(deploymentOf(), []);
    assert(create !== undefined);
    const hash = create.metadata.labels?.["pod-template-hash"] ?? "";
    assert.match(hash, /^[bcdfghjklmnpqrstvwxz2456789]{10}$/);
    assert.equal(create.metadata.name, `web-${hash}`);
    assert.deepEqual(create.spec.selector.matchLabels, { app: "web", "pod-template-hash": hash });
    assert.equal(create.spec.template?.metadata?.labels?.["pod-template-hash"], hash);
    assert.equal(create.spec.replicas, 3);
    assert.equal(revision, "1");
  });

  test("is told from another by what is in it, not by how it is written", () => {
    const { create } = planOf(deploymentOf(), []);
    const again = templateOf(1);
    const image = again.spec?.containers[0]?.image ?? "";
    const spelledOut = deploymentOf({
      template: {
        spec: { restartPolicy: "Always" as const, containers: [{ image, name: "main" }] },
        metadata: { labels: { app: "web" }, annotations: {} },
      },
    });
    assert.equal(planOf(spelledOut, []).create?.metadata.name, create?.metadata.name);
    const other = deploymentOf({ template: templateOf(2) });
    assert.notEqual(planOf(other, []).create?.metadata.name, create?.metadata.name);
    const token = structuredClone(again);
    if (token.spec !== undefined) token.spec.automountServiceAccountToken = false;
    const different = planOf(deploymentOf({ template: token }), []).create;
    assert.notEqual(different?.metadata.name, create?.metadata.name);
  });

  test("gets another name when the first is taken", () => {
    const deployment = deploymentOf();
    const taken = planOf({ ...deployment, status: { collisionCount: 1 } }, []).create;
    assert.notEqual(taken?.metadata.name, planOf(deployment, []).create?.metadata.name);
  });

  test("takes annotations over, but not those that are about the deployment itself", () => {
    const deployment = deploymentOf();
    deployment.metadata.annotations = {
      "kubernetes.io/change-cause": "because",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "deployment.kubernetes.io/revision": "7",
    };
    assert.deepEqual(planOf(deployment, []).create?.metadata.annotations, {
      "kubernetes.io/change-cause": "because",
      "deployment.kubernetes.io/revision": "1",
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "3",
    });
  });
});

describe("revisions", () => {
  test("count up, and a template that comes back gets the next one", () => {
    const { sets } = rolledOut([1, 2, 3, 1]);
    const all = sets.all.map((set) => [imageOf(set), annotation(set, "revision")]);
    assert.deepEqual(all, [
      ["image:1", "4"],
      ["image:2", "2"],
      ["image:3", "3"],
    ]);
    assert.deepEqual(
      sets.all.map((set) => annotation(set, "revision-history")),
      ["1", undefined, undefined],
    );
  });

  test("are kept as far as the limit says, the last ones", () => {
    const { sets } = rolledOut([1, 2, 3, 4, 5], { revisionHistoryLimit: 2 });
    assert.deepEqual(sets.all.map(imageOf), ["image:3", "image:4", "image:5"]);
  });
});

describe("a pause", () => {
  test("holds a new template back, and lets it go afterwards", () => {
    const simulation = rolledOut([1]);
    simulation.take({ type: "pause", isPaused: true });
    simulation.take({ type: "template", version: 2 });
    simulation.settle();
    assert.deepEqual(simulation.sets.all.map(imageOf), ["image:1"]);
    assert.equal(condition(simulation, "Progressing"), "Unknown DeploymentPaused");
    simulation.take({ type: "scale", replicas: 5 });
    simulation.settle();
    assert.equal(simulation.pods.active.length, 5);
    simulation.take({ type: "pause", isPaused: false });
    simulation.settle();
    assert.equal(condition(simulation, "Progressing"), "True NewReplicaSetAvailable");
    assert.equal(simulation.pods.active.length, 5);
    assert.deepEqual(
      simulation.sets.all.map((set) => [imageOf(set), set.spec.replicas]),
      [
        ["image:1", 0],
        ["image:2", 5],
      ],
    );
  });
});

describe("scaling in the midst of a rollout", () => {
  const sized = (name: string, replicas: number, { available = replicas, maximum = 13 } = {}) => {
    const { create } = planOf(deploymentOf({ template: templateOf(Number(name)) }), []);
    const set: ReplicaSet = {
      ...(create as ReplicaSet),
      spec: { ...(create as ReplicaSet).spec, replicas },
      status: { replicas, availableReplicas: available },
    };
    set.metadata = {
      ...set.metadata,
      creationTimestamp: `2026-01-01T00:00:0${name}Z`,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": "10",
        "deployment.kubernetes.io/max-replicas": String(maximum),
      },
    };
    return set;
  };
  const strategy = {
    type: "RollingUpdate" as const,
    rollingUpdate: { maxSurge: 3, maxUnavailable: 2 },
  };
  const sizes = (replicas: number, sets: readonly ReplicaSet[]) => {
    const deployment = deploymentOf({ replicas, strategy, template: templateOf(2) });
    const resized = planOf(deployment, sets).resized.map(({ set, to }) => [imageOf(set), to]);
    return Object.fromEntries(resized) as Record<string, number>;
  };

  test("up: both sets grow in proportion, up to what the surge allows", () => {
    assert.deepEqual(sizes(20, [sized("1", 8), sized("2", 5)]), { "image:1": 14, "image:2": 9 });
  });
  test("down: both sets shrink in proportion", () => {
    assert.deepEqual(sizes(4, [sized("1", 8), sized("2", 5)]), { "image:1": 4, "image:2": 3 });
  });
  test("down: those go first that are not available", () => {
    const sets = [sized("1", 8), sized("2", 5, { available: 0 })];
    assert.deepEqual(sizes(7, sets), { "image:1": 6, "image:2": 4 });
    const few = [sized("1", 4), sized("2", 9, { available: 0 })];
    assert.deepEqual(sizes(7, few), { "image:2": 6 });
  });
  test("with one set only, that one", () => {
    assert.deepEqual(sizes(6, [sized("2", 10, { maximum: 13 })]), { "image:2": 6 });
  });
});

describe("progress", () => {
  test("is through when all pods are new and available", () => {
    const simulation = rolledOut([1, 2]);
    assert.equal(condition(simulation, "Progressing"), "True NewReplicaSetAvailable");
    assert.equal(condition(simulation, "Available"), "True MinimumReplicasAvailable");
    const { observedGeneration, ...counts } = simulation.deployment.status ?? {};
    assert.equal(observedGeneration, simulation.deployment.metadata.generation);
    const { replicas, updatedReplicas, readyReplicas, availableReplicas } = counts;
    assert.deepEqual([replicas, updatedReplicas, readyReplicas, availableReplicas], [3, 3, 3, 3]);
    assert.equal(counts.unavailableReplicas, undefined);
  });

  test("that does not come within the deadline is a failure, until it comes", () => {
    const simulation = new RolloutSimulation(deploymentOf({ progressDeadlineSeconds: 60 }));
    const wait = (turns: number) => {
      for (let turn = 0; turn < turns; turn++) {
        simulation.take({ type: "replica set", which: 0 });
        simulation.take({ type: "hear", of: "sets", which: 0 });
        simulation.take({ type: "deployment" });
      }
    };
    wait(10);
    assert.match(condition(simulation, "Progressing"), /^True/);
    wait(30);
    assert.equal(condition(simulation, "Progressing"), "False ProgressDeadlineExceeded");
    assert.equal(condition(simulation, "Available"), "False MinimumReplicasUnavailable");
    simulation.settle();
    assert.equal(condition(simulation, "Progressing"), "True NewReplicaSetAvailable");
  });

  test("tells of sets that cannot make their pods", () => {
    const { create } = planOf(deploymentOf(), []);
    const conditions = [
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no" },
    ];
    const set = { ...(create as ReplicaSet), status: { replicas: 0, conditions } };
    const { status } = planOf(deploymentOf(), [set]);
    assert.equal(conditionOf(status, "ReplicaFailure")?.message, "no");
  });
});

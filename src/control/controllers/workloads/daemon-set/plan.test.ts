import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { podFromTemplate } from "../pods/from-template.ts";
import { keptBy, nodeOf, podOf, readyStatus } from "../testing/objects.ts";
import { nodeOfPod, templateFor } from "./nodes.ts";
import { planDaemons } from "./plan.ts";
import { nextDaemonStatus } from "./status.ts";

function setOf(spec: Partial<DaemonSet["spec"]> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { namespace: "default", name: "agent", uid: "set", generation: 1 },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { containers: [{ name: "main" }] },
      },
      ...spec,
    },
  };
}

interface PodParts {
  readonly hash?: string;
  readonly status?: Pod["status"];
  readonly isEnding?: boolean;
  readonly created?: string;
}

const on = (nodeName: string, name: string, parts: PodParts = {}): Pod => {
  const { hash = "new", status = readyStatus(), isEnding = false, created } = parts;
  return podOf(name, {
    metadata: {
      ...keptBy(setOf(), { app: "agent", "controller-revision-hash": hash }),
      ...defined({ creationTimestamp: created }),
      ...(isEnding ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { nodeName },
    status,
  });
};
const plan = (set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], wait = 0) =>
  planDaemons({ set, nodes, pods, hash: "new", now: Date.UTC(2026, 0, 2) }, () => wait);
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
const taint = (effect: "NoExecute" | "NoSchedule", key = "k") => ({
  spec: { taints: [{ key, effect }] },
});
const rolling = (rollingUpdate: object) =>
  setOf({ updateStrategy: { type: "RollingUpdate" as const, rollingUpdate } });

describe("a daemon set", () => {
  test("has a pod on every node that lacks one", () => {
    const nodes = ["a", "b", "c"].map((name) => nodeOf(name));
    const { create } = plan(setOf(), nodes, [on("a", "p"), on("b", "q", { isEnding: true })]);
    assert.deepEqual(create, ["c"]);
  });

  const nodeCases: [name: string, set: DaemonSet, node: Node, runs: boolean, stays: boolean][] = [
    ["any node", setOf(), nodeOf("a"), true, true],
    ["a closed node", setOf(), nodeOf("a", { spec: { unschedulable: true } }), true, true],
    [
      "a node that is not ready",
      setOf(),
      nodeOf("a", taint("NoExecute", "node.kubernetes.io/not-ready")),
      true,
      true,
    ],
    ["a tainted node", setOf(), nodeOf("a", taint("NoSchedule")), false, true],
    ["a hostile node", setOf(), nodeOf("a", taint("NoExecute")), false, false],
    [
      "a node without its network",
      setOf(),
      nodeOf("a", taint("NoSchedule", "node.kubernetes.io/network-unavailable")),
      false,
      true,
    ],
    [
      "the same, for who needs none",
      setOf({ template: { spec: { containers: [], hostNetwork: true } } }),
      nodeOf("a", taint("NoSchedule", "node.kubernetes.io/network-unavailable")),
      true,
      true,
    ],
    [
      "a node that is not selected",
      setOf({ template: { spec: { containers: [], nodeSelector: { zone: "z" } } } }),
      nodeOf("a"),
      false,
      false,
    ],
  ];
  for (const [name, set, node, runs, stays] of nodeCases) {
    test(`on ${name}: ${runs ? "runs" : "does not run"}, ${stays ? "stays" : "does not stay"}`, () => {
      assert.deepEqual(plan(set, [node], []).create, runs ? ["a"] : []);
      assert.deepEqual(names(plan(set, [node], [on("a", "p")]).remove), stays ? [] : ["p"]);
    });
  }

  test("keeps the oldest of several on a node", () => {
    const pods = [
      on("a", "young", { created: "2026-01-01T00:00:02Z" }),
      on("a", "old", { created: "2026-01-01T00:00:01Z" }),
    ];
    assert.deepEqual(names(plan(setOf(), [nodeOf("a")], pods).remove), ["young"]);
  });

  test("replaces what failed, after a while", () => {
    const pods = [on("a", "p", { status: { phase: "Failed" as const } })];
    const now = plan(setOf(), [nodeOf("a")], pods);
    assert.deepEqual([names(now.remove), now.failed, now.create], [["p"], ["a"], []]);
    const later = plan(setOf(), [nodeOf("a")], pods, 500);
    assert.deepEqual([later.remove, later.failed, later.againInMs], [[], [], 500]);
  });

  test("deletes pods that wait for a node that is gone", () => {
    const draft = podFromTemplate(setOf(), templateFor(setOf().spec.template, "gone"), "p");
    const pod: Pod = { apiVersion: "v1", kind: "Pod", ...draft };
    assert.equal(nodeOfPod(pod), "gone");
    assert.deepEqual(names(plan(setOf(), [nodeOf("a")], [pod]).remove), ["p"]);
    assert.deepEqual(plan(setOf(), [nodeOf("a")], [on("gone", "q")]).remove, []);
  });

  test("adds its node to every term of an affinity, and leaves out other names", () => {
    const expressions = [{ key: "zone", operator: "Exists" as const }];
    const matchFields = [{ key: "metadata.name", operator: "In" as const, values: ["x"] }];
    const template = templateFor(
      {
        spec: {
          containers: [],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: expressions, matchFields }],
              },
            },
          },
        },
      },
      "a",
    );
    const affinity = template.spec?.affinity?.nodeAffinity;
    assert.deepEqual(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms, [
      {
        matchExpressions: expressions,
        matchFields: [{ key: "metadata.name", operator: "In" as const, values: ["a"] }],
      },
    ]);
  });
});

describe("the next version of a daemon set", () => {
  const nodes = ["a", "b", "c", "d"].map((name) => nodeOf(name));
  const old = (node: string, parts: PodParts = {}) =>
    on(node, `old-${node}`, { hash: "old", ...parts });
  const unready = { status: { phase: "Running" as const } };

  test("comes to one node after the other", () => {
    const { remove } = plan(
      setOf(),
      nodes,
      ["a", "b", "c", "d"].map((name) => old(name)),
    );
    assert.deepEqual(names(remove), ["old-a"]);
  });
  test("comes to as many nodes as may be without, and those that are count", () => {
    const pods = [on("a", "new-a", unready), old("b"), old("c"), old("d")];
    const { remove } = plan(rolling({ maxUnavailable: "50%" }), nodes, pods);
    assert.deepEqual(names(remove), ["old-b"]);
    assert.deepEqual(names(plan(rolling({ maxUnavailable: 1 }), nodes, pods).remove), []);
  });
  test("comes at once to where the old one is of no use", () => {
    const pods = [old("a"), old("b", unready), old("c", unready), old("d")];
    const { remove } = plan(rolling({ maxUnavailable: 1 }), nodes, pods);
    assert.deepEqual(names(remove), ["old-b", "old-c"]);
  });
  test("comes beside the old one, which goes when the new one is available", () => {
    const set = rolling({ maxSurge: 2, maxUnavailable: 0 });
    const pods = [
      old("a"),
      on("a", "new-a"),
      old("b"),
      on("b", "new-b", unready),
      old("c"),
      old("d"),
    ];
    const { create, remove } = plan(set, nodes, pods);
    assert.deepEqual([create, names(remove)], [["c"], ["old-a"]]);
  });
  test("waits to be asked for, if the set says so", () => {
    const set = setOf({ updateStrategy: { type: "OnDelete" as const } });
    const pods = ["b", "c", "d"].map((name) => old(name));
    const { create, remove } = plan(set, nodes, pods);
    assert.deepEqual([create, remove], [["a"], []]);
  });
});

test("the status of a DaemonSet counts its nodes: wanted, current, updated and mistaken ones", () => {
  const nodes = [nodeOf("a"), nodeOf("b"), nodeOf("c"), nodeOf("d", taint("NoSchedule"))];
  const pods = [
    on("a", "p"),
    on("b", "q", { hash: "old", status: { phase: "Running" as const } }),
    on("d", "r"),
  ];
  const { posts } = plan(setOf(), nodes, pods);
  assert.deepEqual(nextDaemonStatus(setOf(), posts), {
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { ReplicaSet } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { isActive, isReady } from "../pods/state.ts";
import { keptBy, podOf, readyStatus } from "../testing/objects.ts";
import { planReplicas, type ReplicaPlan } from "./plan.ts";

function setOf(replicas: number, metadata: Partial<ReplicaSet["metadata"]> = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { namespace: "default", name: "web", uid: "set", ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } } },
    },
  };
}

const labels = { app: "web" };
const own = (name: string, parts: Parameters<typeof podOf>[1] = {}): Pod =>
  podOf(name, { ...parts, metadata: { ...keptBy(setOf(0), labels), ...parts.metadata } });
const plan = (keeper: ReplicaSet, pods: readonly Pod[], neighbours: readonly Pod[] = []) =>
  planReplicas({ keeper, pods, neighbours: () => neighbours });
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);

describe("a replica set", () => {
  test("creates the missing pods, at most 500 at once", () => {
    assert.equal(plan(setOf(3), [own("a")]).create, 2);
    assert.equal(plan(setOf(1000), []).create, 500);
  });

  test("does not count what is over or ending", () => {
    const pods = [
      own("over", { status: { phase: "Succeeded" as const } }),
      own("failed", { status: { phase: "Failed" as const } }),
      own("ending", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ];
    const { create, active, terminating } = plan(setOf(1), pods);
    assert.deepEqual([create, names(active), names(terminating)], [1, [], ["ending"]]);
  });

  test("adopts what its selector finds without an owner", () => {
    const pods = [
      podOf("a", { metadata: { labels } }),
      podOf("b", { metadata: { labels: { app: "other" } } }),
      podOf("c", { metadata: { labels, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      podOf("d", { metadata: { labels }, status: { phase: "Succeeded" as const } }),
    ];
    const { adopt, create } = plan(setOf(2), pods);
    assert.deepEqual([names(adopt), create], [["a"], 1]);
  });

  test("leaves alone what another owns, and lets go of what its selector finds no more", () => {
    const other = { ...setOf(1), metadata: { ...setOf(1).metadata, uid: "other" } };
    const pods = [
      podOf("a", { metadata: keptBy(other, labels) }),
      podOf("b", { metadata: keptBy(setOf(1), { app: "debug" }) }),
    ];
    const { adopt, release, create, remove } = plan(setOf(1), pods);
    assert.deepEqual([names(adopt), names(release), create, remove], [[], ["b"], 1, []]);
  });

  test("does nothing more when it ends", () => {
    const ending = setOf(3, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const pods = [
      own("a"),
      podOf("b", { metadata: { labels } }),
      own("c", { metadata: { labels: {} } }),
    ];
    const { adopt, release, create, remove } = plan(ending, pods);
    assert.deepEqual([adopt, release, create, remove], [[], [], 0, []]);
  });
});

describe("of too many pods, those go first that", () => {
  const on = (nodeName: string) => ({ spec: { nodeName } });
  const ready = (since?: string) => ({ status: readyStatus(since) });
  const running = { status: { phase: "Running" as const } };
  const restarted = (restartCount: number): Parameters<typeof podOf>[1] => ({
    status: {
      ...readyStatus(),
      containerStatuses: [{ name: "main", ready: true, restartCount, image: "", imageID: "" }],
    },
  });
  const cases: [name: string, pods: Pod[], neighbours: Pod[], first: string][] = [
    ["have no node", [own("a", { ...on("n"), ...ready() }), own("b")], [], "b"],
    ["wait", [own("a", { ...on("n"), ...running }), own("b", on("n"))], [], "b"],
    [
      "are not ready",
      [own("a", { ...on("n"), ...ready() }), own("b", { ...on("m"), ...running })],
      [],
      "b",
    ],
    [
      "cost least, if somebody has said so",
      [
        own("a", {
          ...on("n"),
          ...ready(),
          metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-1" } },
        }),
        own("b", { ...on("m"), ...ready() }),
      ],
      [],
      "a",
    ],
    [
      "share a node with others of their kind",
      [own("a", { ...on("n"), ...ready() }), own("b", { ...on("m"), ...ready() })],
      [podOf("c", on("m"))],
      "b",
    ],
    [
      "have been ready for less time",
      [
        own("a", { ...on("n"), ...ready("2026-01-01T00:00:00Z") }),
        own("b", { ...on("m"), ...ready("2026-01-02T00:00:00Z") }),
      ],
      [],
      "b",
    ],
    [
      "were restarted more often",
      [own("a", { ...on("n"), ...restarted(1) }), own("b", { ...on("m"), ...restarted(3) })],
      [],
      "b",
    ],
    [
      "are newer",
      [
        own("a", { ...on("n"), metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } }),
        own("b", { ...on("m"), metadata: { creationTimestamp: "2026-01-02T00:00:00Z" } }),
      ],
      [],
      "b",
    ],
  ];
  for (const [name, pods, neighbours, first] of cases) {
    test(name, () => {
      assert.deepEqual(names(plan(setOf(1), pods, neighbours).remove), [first]);
    });
  }
});

test("from any state, carrying the plan out gives as many as asked for, and nothing ready goes while there is anything else", () => {
  const pod = fc.record({
    phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed"),
    isReady: fc.boolean(),
    isEnding: fc.boolean(),
    isOwn: fc.boolean(),
    isMeant: fc.boolean(),
    node: fc.constantFrom("", "n", "m"),
  });
  fc.assert(
    fc.property(fc.array(pod, { maxLength: 12 }), fc.nat(8), (parts, replicas) => {
      const keeper = setOf(replicas);
      const pods = parts.map(({ phase, isReady: ready, isEnding, isOwn, isMeant, node }, index) =>
        podOf(`p${index}`, {
          metadata: {
            ...(isOwn ? keptBy(keeper) : {}),
            labels: isMeant ? labels : {},
            ...(isEnding ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
          },
          // A pod that is past Pending has a node.
          spec: { nodeName: phase === "Pending" ? node : node || "n" },
          status: ready && phase === "Running" ? readyStatus() : { phase },
        }),
      );
      const made = plan(keeper, pods);
      const left = after(made);
      assert.equal(left.filter(isActive).length + made.create, replicas);
      if (made.remove.some(isReady)) assert(left.every(isReady));
      assert(made.remove.length === 0 || made.create === 0);
    }),
  );
  function after({ active, remove }: ReplicaPlan): Pod[] {
    return active.filter((each) => !remove.includes(each));
  }
});

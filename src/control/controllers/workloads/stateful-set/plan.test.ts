import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ControllerRevision, StatefulSet } from "../../../../api/types/apps.ts";
import type { PersistentVolumeClaim, Pod } from "../../../../api/types/core.ts";
import { newRevision } from "../revisions/revision.ts";
import { keptBy, podOf, readyStatus } from "../testing/objects.ts";
import { claimDrafts, withClaims, withOwners } from "./claims.ts";
import { statefulPod } from "./identity.ts";
import { planStateful } from "./plan.ts";
import { nextStatefulStatus } from "./status.ts";

function setOf(spec: Partial<StatefulSet["spec"]> = {}, image = "image:2"): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { namespace: "default", name: "db", uid: "set", generation: 2 },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: {
        metadata: { labels: { app: "db" } },
        spec: { containers: [{ name: "main", image }] },
      },
      ...spec,
    },
  };
}

const revision = (image: string, number: number): ControllerRevision => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  ...newRevision(setOf({}, image), number),
});
const current = revision("image:1", 1);
const update = revision("image:2", 2);

type State = "ready" | "starting" | "ending" | "failed";

/** Builds pods from states such as `{ 0: "ready", 1: "old ready" }`. */
function podsOf(states: Readonly<Record<number, State | `old ${State}`>>): Pod[] {
  return Object.entries(states).map(([ordinal, text]) => {
    const isOld = text.startsWith("old ");
    const state = text.replace("old ", "");
    const { name } = (isOld ? current : update).metadata;
    const ending = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    return podOf(`db-${ordinal}`, {
      metadata: {
        ...keptBy(setOf(), { app: "db", "controller-revision-hash": name }),
        ...(state === "ending" ? ending : {}),
      },
      status:
        state === "ready" ? readyStatus() : { phase: state === "failed" ? "Failed" : "Pending" },
    });
  });
}

/**
 * Formats the plan: `+2` for a created pod, `+1 old` for one of the current revision, `-0` for a deleted one.
 */
function steps(set: StatefulSet, pods: readonly Pod[]): string {
  const plan = planStateful({ set, pods, current, update, now: Date.UTC(2026, 0, 2) });
  const made = plan.create.map(
    ({ ordinal, revision: chosen }) => `+${ordinal}${chosen === current ? " old" : ""}`,
  );
  const gone = plan.remove.map(({ metadata }) => metadata.name.replace("db", ""));
  return [...made, ...gone].join(" ");
}

const rolling = (rollingUpdate: object) => ({
  updateStrategy: { type: "RollingUpdate" as const, rollingUpdate },
});
const parallel = { podManagementPolicy: "Parallel" as const };

const cases: [name: string, set: StatefulSet, pods: Parameters<typeof podsOf>[0], steps: string][] =
  [
    ["begins with the first", setOf(), {}, "+0"],
    ["waits until it is ready", setOf(), { 0: "starting" }, ""],
    ["goes on with the next", setOf(), { 0: "ready" }, "+1"],
    ["fills a gap first", setOf(), { 0: "ready", 2: "ready" }, "+1"],
    ["waits for one that ends", setOf(), { 0: "ending", 1: "ready" }, ""],
    ["replaces one that failed", setOf(), { 0: "ready", 1: "failed" }, "-1"],
    [
      "scales down from the top",
      setOf({ replicas: 1 }),
      { 0: "ready", 1: "ready", 2: "ready" },
      "-2",
    ],
    ["one at a time", setOf({ replicas: 1 }), { 0: "ready", 1: "ready", 2: "ending" }, ""],
    [
      "not above one that does not work",
      setOf({ replicas: 0 }),
      { 0: "ready", 1: "starting", 2: "starting" },
      "",
    ],
    [
      "but the lowest that does not work goes",
      setOf({ replicas: 0 }),
      { 0: "ready", 1: "starting" },
      "-1",
    ],
    [
      "and a finished one, which is waited for by none",
      setOf({ replicas: 0 }),
      { 0: "failed", 1: "failed" },
      "-1",
    ],
    ["not while another does not work", setOf({ replicas: 1 }), { 0: "starting", 1: "ready" }, ""],
    [
      "starts where it is told to",
      setOf({ replicas: 1, ordinals: { start: 5 } }),
      { 0: "ready" },
      "+5",
    ],
    ["in parallel: all at once", setOf(parallel), { 1: "starting" }, "+0 +2"],
    [
      "in parallel: down at once",
      setOf({ ...parallel, replicas: 0 }),
      { 0: "ready", 1: "starting", 2: "ending" },
      "-1 -0",
    ],
    ["updates from the top", setOf(), { 0: "old ready", 1: "old ready", 2: "old ready" }, "-2"],
    ["one after the other", setOf(), { 0: "old ready", 1: "old ready", 2: "starting" }, ""],
    ["the next when it is ready", setOf(), { 0: "old ready", 1: "old ready", 2: "ready" }, "-1"],
    [
      "several at a time, if it may",
      setOf(rolling({ maxUnavailable: 2 })),
      { 0: "old ready", 1: "old ready", 2: "old ready" },
      "-2 -1",
    ],
    [
      "down to the partition",
      setOf(rolling({ partition: 2 })),
      { 0: "old ready", 1: "old ready", 2: "ready" },
      "",
    ],
    [
      "below the partition as it was",
      setOf(rolling({ partition: 2 })),
      { 1: "old ready", 2: "ready" },
      "+0 old",
    ],
    [
      "when asked only",
      setOf({ updateStrategy: { type: "OnDelete" as const } }),
      { 0: "old ready", 1: "old ready" },
      "+2",
    ],
    [
      "at once where the old one does not work",
      setOf(),
      { 0: "old starting", 1: "old ready", 2: "old ready" },
      "-0",
    ],
  ];
describe("a stateful set", () => {
  for (const [name, set, pods, expected] of cases) {
    test(name, () => assert.equal(steps(set, podsOf(pods)), expected));
  }

  test("calls its pods by their numbers", () => {
    const { metadata, spec } = statefulPod(setOf(), current, 1);
    assert.equal(metadata.name, "db-1");
    assert.deepEqual(metadata.labels, {
      app: "db",
      "statefulset.kubernetes.io/pod-name": "db-1",
      "apps.kubernetes.io/pod-index": "1",
      "controller-revision-hash": current.metadata.name,
    });
    assert.deepEqual([spec.hostname, spec.subdomain], ["db-1", "db"]);
    assert.equal(spec.containers[0]?.image, "image:1");
  });

  const statusOf = (set: StatefulSet, pods: readonly Pod[]) =>
    nextStatefulStatus({ set, pods, current, update, now: Date.UTC(2026, 0, 2) });

  test("reports ready, current and updated replicas and both revisions in its status", () => {
    const pods = podsOf({ 0: "old ready", 1: "old starting", 2: "ready" });
    assert.deepEqual(statusOf(setOf(), pods), {
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: current.metadata.name,
      updateRevision: update.metadata.name,
      availableReplicas: 2,
    });
  });
  test("has a new current revision when all pods are of it", () => {
    const status = statusOf(setOf(), podsOf({ 0: "ready", 1: "ready", 2: "ready" }));
    assert.equal(status?.currentRevision, update.metadata.name);
    assert.equal(status?.currentReplicas, 3);
  });
  test("[API-14] gives each pod claims of its own, in place of volumes of the same name", () => {
    const claim = { metadata: { name: "data" }, spec: {} } as PersistentVolumeClaim;
    const set = setOf({ volumeClaimTemplates: [claim] });
    const { spec } = statefulPod(set, current, 1);
    assert.deepEqual(spec.volumes, [
      { name: "data", persistentVolumeClaim: { claimName: "data-db-1" } },
    ]);
    assert.deepEqual(claimDrafts(set, 1)[0]?.metadata, {
      namespace: "default",
      name: "data-db-1",
      labels: { app: "db" },
    });
    const own = withClaims(
      [
        { name: "data", emptyDir: {} },
        { name: "tmp", emptyDir: {} },
      ],
      new Map([["data", "c"]]),
    );
    assert.deepEqual(
      own.map(({ name }) => name),
      ["data", "tmp"],
    );
  });

  test("[API-14] claims go with the set or with a pod too many, as the policy says", () => {
    const claim = {
      metadata: { namespace: "default", name: "data-db-2" },
    } as PersistentVolumeClaim;
    const [pod] = podsOf({ 2: "ready" });
    assert(pod !== undefined);
    const ownerOf = (
      whenDeleted: "Retain" | "Delete",
      whenScaled: "Retain" | "Delete",
      isSurplus: boolean,
    ) => {
      const set = setOf({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });
      const news = withOwners(claim, { set, pod, isSurplus }) ?? claim;
      return (news.metadata.ownerReferences ?? []).map(({ kind }) => kind).join();
    };
    assert.equal(ownerOf("Retain", "Retain", true), "");
    assert.equal(ownerOf("Delete", "Retain", true), "StatefulSet");
    assert.equal(ownerOf("Retain", "Delete", false), "");
    assert.equal(ownerOf("Retain", "Delete", true), "Pod");
    assert.equal(ownerOf("Delete", "Delete", false), "StatefulSet");
    assert.equal(ownerOf("Delete", "Delete", true), "Pod");
  });
});

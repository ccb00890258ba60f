import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { bestVolume, mismatchOf } from "../../../api/kinds/storage.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../api/types/core.ts";
import type { StorageClass } from "../../../api/types/storage.ts";
import { nodeOf, podOf } from "../workloads/testing/objects.ts";
import { type ClaimState, planClaim } from "./claim-plan.ts";
import { isUsing } from "./protection-controller.ts";
import { directoryVolume, refusalOf } from "./provision.ts";
import { planVolume, unbound } from "./volume-plan.ts";

type Claim = PersistentVolumeClaim;
type Volume = PersistentVolume;

function claimOf(
  spec: Partial<Claim["spec"]> = {},
  metadata: Partial<Claim["metadata"]> = {},
): Claim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "default", name: "c", uid: "claim", ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "manual",
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  };
}

function volumeOf(name: string, spec: Partial<Volume["spec"]> = {}): Volume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "manual",
      hostPath: { path: "/data" },
      ...spec,
    },
  };
}

const refTo = (name: string, uid = "") => ({ namespace: "default", name, uid });

function storageClass(provisioner: string, mode?: StorageClass["volumeBindingMode"]): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "manual" },
    provisioner,
    ...(mode === undefined ? {} : { volumeBindingMode: mode }),
  };
}

interface Given {
  readonly volumes?: readonly Volume[];
  readonly storageClass?: StorageClass;
  readonly defaultClass?: StorageClass;
  readonly waitingPod?: Pod;
}

/** Formats the step: `bind v`, `provision`, `Pending Reason`. */
function step(claim: Claim, given: Given = {}): string {
  const { volumes = [] } = given;
  const state: ClaimState = {
    claim,
    volumeNamed: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumesOfClass: (name) => volumes.filter(({ spec }) => (spec.storageClassName ?? "") === name),
    classNamed: (name) => (name === "manual" ? given.storageClass : undefined),
    defaultClass: given.defaultClass,
    waitingPod: given.waitingPod,
  };
  const planned = planClaim(state);
  if (planned.type === "bind") return `bind ${planned.volume.metadata.name}`;
  if (planned.type === "set class") return `class ${planned.name}`;
  if (planned.type === "provision") return "provision";
  return `${planned.phase} ${planned.remark?.reason ?? ""}`.trim();
}

describe("[API-14] a claim", () => {
  test("gets the smallest volume that fits", () => {
    const volumes = [
      volumeOf("large", { capacity: { storage: "5Gi" } }),
      volumeOf("small", { capacity: { storage: "500Mi" } }),
      volumeOf("right", { capacity: { storage: "2Gi" } }),
      volumeOf("taken", { claimRef: refTo("other", "x") }),
      volumeOf("block", { volumeMode: "Block" }),
      volumeOf("read", { accessModes: ["ReadOnlyMany"] }),
    ];
    assert.equal(step(claimOf(), { volumes }), "bind right");
    const aside = volumeOf("aside", { capacity: { storage: "9Gi" }, claimRef: refTo("c") });
    assert.equal(step(claimOf(), { volumes: [...volumes, aside] }), "bind aside");
  });

  test("gets a volume by labels, if it asks for them", () => {
    const labelled = volumeOf("fast");
    labelled.metadata.labels = { speed: "fast" };
    const volumes = [volumeOf("any"), labelled];
    const selector = { matchLabels: { speed: "fast" } };
    assert.equal(step(claimOf({ selector }), { volumes }), "bind fast");
  });

  test("that names a volume gets it, unless it is another's or does not fit", () => {
    const named = (volume: Volume) => step(claimOf({ volumeName: "v" }), { volumes: [volume] });
    assert.equal(named(volumeOf("v")), "bind v");
    assert.equal(named(volumeOf("v", { claimRef: refTo("c", "claim") })), "bind v");
    assert.equal(named(volumeOf("v", { claimRef: refTo("c", "before") })), "Pending FailedBinding");
    assert.equal(named(volumeOf("v", { claimRef: refTo("other") })), "Pending FailedBinding");
    assert.equal(named(volumeOf("v", { storageClassName: "x" })), "Pending VolumeMismatch");
    assert.equal(step(claimOf({ volumeName: "v" })), "Pending");
  });

  test("is not believed when it says that it is bound", () => {
    const claim = claimOf(
      { volumeName: "v" },
      { annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
    );
    const bound = (volume: Volume) => step(claim, { volumes: [volume] });
    assert.equal(step(claim), "Lost ClaimLost");
    assert.equal(bound(volumeOf("v", { claimRef: refTo("other", "x") })), "Lost ClaimMisbound");
    assert.equal(bound(volumeOf("v", { storageClassName: "secret" })), "Lost ClaimMisbound");
    assert.equal(bound(volumeOf("v", { claimRef: refTo("c", "claim") })), "bind v");
  });

  test("waits for its class, for a pod, or for a node, and says which", () => {
    const late = storageClass("directory.tandem.internal", "WaitForFirstConsumer");
    assert.equal(step(claimOf({ storageClassName: "" })), "Pending FailedBinding");
    assert.equal(step(claimOf()), "Pending ProvisioningFailed");
    assert.equal(step(claimOf(), { storageClass: late }), "Pending WaitForFirstConsumer");
    const pod = podOf("p");
    assert.equal(
      step(claimOf(), { storageClass: late, waitingPod: pod }),
      "Pending WaitForPodScheduled",
    );
    // Volumes that nobody has are the scheduler's to choose.
    assert.equal(
      step(claimOf(), { storageClass: late, volumes: [volumeOf("v")] }),
      "Pending WaitForFirstConsumer",
    );
    const placed = { annotations: { "volume.kubernetes.io/selected-node": "a" } };
    assert.equal(step(claimOf({}, placed), { storageClass: late }), "provision");
    assert.equal(step(claimOf(), { storageClass: storageClass("x") }), "provision");
  });

  test("without a class gets the default one later, too", () => {
    const { storageClassName: _, ...spec } = claimOf().spec;
    const claim = { ...claimOf(), spec };
    assert.equal(step(claim, { defaultClass: storageClass("x") }), "class manual");
  });

  test("never gets a volume that does not fit, whatever there is", () => {
    const size = fc.integer({ min: 1, max: 4 }).map((gigabytes) => `${gigabytes}Gi`);
    const volume = fc
      .record({ size, taken: fc.boolean(), other: fc.boolean() })
      .map(({ size: storage, taken, other }) => ({
        capacity: { storage },
        ...(taken ? { claimRef: refTo("other", "x") } : {}),
        ...(other ? { storageClassName: "other" } : {}),
      }));
    fc.assert(
      fc.property(fc.array(volume), size, (specs, storage) => {
        const claim = claimOf({ resources: { requests: { storage } } });
        const volumes = specs.map((spec, index) => volumeOf(`v${index}`, spec));
        const fitting = volumes.filter(
          (each) => mismatchOf(each, claim) === undefined && each.spec.claimRef === undefined,
        );
        const best = bestVolume(claim, volumes);
        assert.equal(best === undefined, fitting.length === 0);
        assert(best === undefined || fitting.includes(best));
      }),
      { numRuns: 200 },
    );
  });
});

describe("[API-14] a volume", () => {
  const bound = volumeOf("v", { claimRef: refTo("c", "claim") });
  const having = claimOf({ volumeName: "v" });

  test("is free, bound, or released", () => {
    assert.deepEqual(planVolume({ volume: volumeOf("v"), claim: undefined }), {
      type: "phase",
      phase: "Available",
    });
    assert.deepEqual(planVolume({ volume: bound, claim: having }), {
      type: "phase",
      phase: "Bound",
    });
    assert.equal(planVolume({ volume: bound, claim: claimOf() }).type, "claim");
    assert.equal(planVolume({ volume: bound, claim: undefined }).type, "release");
    const other = claimOf({}, { uid: "later" });
    assert.equal(planVolume({ volume: bound, claim: other }).type, "release");
  });

  test("is kept, deleted or failed by its policy", () => {
    const then = (policy: "Retain" | "Delete" | "Recycle", provisioner?: string) => {
      const volume = volumeOf("v", {
        claimRef: refTo("c", "claim"),
        persistentVolumeReclaimPolicy: policy,
      });
      if (provisioner !== undefined) {
        volume.metadata.annotations = { "pv.kubernetes.io/provisioned-by": provisioner };
      }
      const planned = planVolume({ volume, claim: undefined });
      return planned.type === "release" ? planned.reclaim.type : planned.type;
    };
    assert.equal(then("Retain", "directory.tandem.internal"), "keep");
    assert.equal(then("Delete", "directory.tandem.internal"), "delete");
    assert.equal(then("Delete", "others"), "keep");
    assert.equal(then("Delete"), "fail");
    assert.equal(then("Recycle"), "fail");
  });

  test("that was bound here loses its claim, one that was set aside keeps the name", () => {
    const elsewhere = claimOf({ volumeName: "w" });
    assert.equal(planVolume({ volume: bound, claim: elsewhere }).type, "unbind");
    assert.deepEqual(unbound(bound).spec.claimRef, { namespace: "default", name: "c" });
    const marked = {
      ...bound,
      metadata: {
        ...bound.metadata,
        annotations: { "pv.kubernetes.io/bound-by-controller": "yes" },
      },
    };
    assert.equal(unbound(marked).spec.claimRef, undefined);
  });
});

describe("[API-14] a directory", () => {
  const late = storageClass("directory.tandem.internal", "WaitForFirstConsumer");
  const claim = claimOf({}, { annotations: { "volume.kubernetes.io/selected-node": "a" } });
  const node = nodeOf("a");

  test("is tied to the node of the first pod, and to its claim", () => {
    const order = { claim, storageClass: late, node };
    assert.equal(refusalOf(order), undefined);
    const { metadata, spec } = directoryVolume(order);
    assert.equal(metadata.name, "pvc-claim");
    assert.partialDeepStrictEqual(spec, {
      capacity: { storage: "1Gi" },
      claimRef: { namespace: "default", name: "c", uid: "claim" },
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: "directory.tandem.internal", volumeHandle: "pvc-claim" },
    });
    const [term] = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    assert.deepEqual(term?.matchExpressions?.[0]?.values, ["a"]);
  });

  test("is refused where it cannot be what is asked for", () => {
    const why = (changed: Partial<Claim["spec"]>, more: Partial<StorageClass> = {}) =>
      refusalOf({
        claim: { ...claim, spec: { ...claim.spec, ...changed } },
        storageClass: { ...late, ...more },
        node,
      }) ?? "";
    assert.match(why({ accessModes: ["ReadWriteMany"] }), /ReadWriteMany, and a directory/);
    assert.match(why({ volumeMode: "Block" }), /Block/);
    assert.match(why({ selector: {} }), /Selector/);
    assert.match(why({}, { parameters: { path: "/" } }), /parameter path/);
    assert.match(refusalOf({ claim, storageClass: late, node: undefined }) ?? "", /no node "a"/);
    assert.match(refusalOf({ claim: claimOf(), storageClass: late, node }) ?? "", /WaitForFirst/);
  });
});

test("[API-14] a claim is kept while a pod on a node uses it", () => {
  const volumes = [{ name: "d", persistentVolumeClaim: { claimName: "c" } }];
  const pod = podOf("p");
  const using = { ...pod, spec: { ...pod.spec, nodeName: "a", volumes } };
  assert.equal(isUsing(using, claimOf()), true);
  assert.equal(isUsing({ ...using, spec: { ...using.spec, nodeName: "" } }, claimOf()), false);
  assert.equal(isUsing(using, claimOf({}, { name: "other" })), false);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../../api/types/core.ts";
import type { StorageClass } from "../../../../api/types/storage.ts";
import { FakeRandom } from "../../../../base/host/random.fake.ts";
import { nodeOf, podOf } from "../../workloads/testing/objects.ts";
import { chooseNode } from "../choose-node.ts";
import { ClusterState } from "../cluster-state.ts";
import { needsOf } from "../pod-needs.ts";
import type { Storage } from "../volumes.ts";

interface Given {
  readonly claim?: Partial<PersistentVolumeClaim>;
  readonly volumes?: readonly PersistentVolume[];
  readonly mode?: StorageClass["volumeBindingMode"];
  readonly provisioner?: string;
  readonly placed?: readonly Pod[];
}

const on = (node: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchFields: [{ key: "metadata.name", operator: "In" as const, values: [node] }] },
      ],
    },
  },
});

function volumeOf(name: string, spec: Partial<PersistentVolume["spec"]> = {}): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "s",
      local: { path: "/d" },
      ...spec,
    },
  };
}

function podWith(name: string): Pod {
  const pod = podOf(name);
  const volumes = [{ name: "d", persistentVolumeClaim: { claimName: "c" } }];
  return { ...pod, spec: { ...pod.spec, volumes } };
}

/** Returns the node of a pod with the claim, or why there is none, on nodes a and b. */
function choose(given: Given): string {
  const { claim, volumes = [], mode, provisioner = "x", placed = [] } = given;
  const known: PersistentVolumeClaim | undefined = claim && {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "default", name: "c", uid: "claim", ...claim.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "s",
      resources: { requests: { storage: "1Gi" } },
      ...claim.spec,
    },
  };
  const storage: Storage = {
    claim: (key) => (key === "default/c" ? known : undefined),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumesOfClass: () => volumes,
    storageClass: () => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "s" },
      provisioner,
      ...(mode === undefined ? {} : { volumeBindingMode: mode }),
    }),
  };
  const state = new ClusterState(() => undefined, storage);
  for (const name of ["a", "b"]) state.setNode(nodeOf(name));
  for (const pod of placed) state.place(needsOf(pod), "a");
  const choice = chooseNode(needsOf(podWith("p")), state, new FakeRandom());
  return choice.node ?? choice.message.replace("0/2 nodes are available: ", "");
}

const bound = {
  metadata: {
    namespace: "default",
    name: "c",
    annotations: { "pv.kubernetes.io/bind-completed": "yes" },
  },
  spec: { volumeName: "v" },
};

describe("[API-14] a pod with a claim", () => {
  test("goes where its volume is", () => {
    assert.equal(choose({ claim: bound, volumes: [volumeOf("v", on("b"))] }), "b");
    assert.equal(
      choose({ claim: bound, volumes: [volumeOf("v", on("c"))] }),
      "2 node(s) didn't match PersistentVolume's node affinity.",
    );
    assert.match(choose({ claim: bound }), /bound to non-existent pv/);
  });

  test("waits for a claim that is not there, not bound, or going", () => {
    assert.equal(choose({}), 'persistentvolumeclaim "c" not found.');
    assert.equal(choose({ claim: {} }), "pod has unbound immediate PersistentVolumeClaims.");
    const metadata = { namespace: "default", name: "c", deletionTimestamp: "2026-01-01T00:00:00Z" };
    assert.equal(
      choose({ claim: { ...bound, metadata } }),
      'persistentvolumeclaim "c" is being deleted.',
    );
  });

  test("as its first consumer goes where a volume is free, or can be made", () => {
    const mode = "WaitForFirstConsumer" as const;
    const none = "kubernetes.io/no-provisioner";
    const volumes = [volumeOf("v", on("b"))];
    assert.equal(choose({ claim: {}, mode, provisioner: none, volumes }), "b");
    assert.equal(
      choose({ claim: {}, mode, provisioner: none }),
      "2 node(s) didn't find available persistent volumes to bind.",
    );
    assert.match(choose({ claim: {}, mode }), /^[ab]$/);
  });

  test("that one pod alone may use waits for the other", () => {
    const claim = {
      ...bound,
      spec: { ...bound.spec, accessModes: ["ReadWriteOncePod" as const] },
    };
    const given = { claim, volumes: [volumeOf("v")] };
    assert.match(choose(given), /^[ab]$/);
    assert.match(choose({ ...given, placed: [podWith("q")] }), /ReadWriteOncePod/);
  });
});

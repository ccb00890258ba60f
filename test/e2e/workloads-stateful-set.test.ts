// Stateful sets and cron jobs on a server, with the scheduler and nodes on paper.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ResourceClient } from "../../src/api/client/resource-client.ts";
import type { StatefulSet } from "../../src/api/types/apps.ts";
import type { PersistentVolumeClaim, Pod } from "../../src/api/types/core.ts";
import { until } from "../fixtures/controllers.ts";
import { startWorkloads, type WorkloadCluster } from "../fixtures/workloads.ts";

let cluster: WorkloadCluster;
before(async () => {
  cluster = await startWorkloads({
    count: 3,
    fate: ({ spec }) =>
      spec.containers[0]?.image === "broken"
        ? "unready"
        : spec.restartPolicy === "Always"
          ? "ready"
          : "succeed",
  });
});
after(() => cluster?.[Symbol.asyncDispose]());

const at = (name: string) => ({ namespace: "default", name });

describe("stateful sets", () => {
  let sets: ResourceClient<StatefulSet>;
  let pods: ResourceClient<Pod>;
  before(() => {
    sets = cluster.server.client.resource("apps/v1", "StatefulSet");
    pods = cluster.server.client.resource("v1", "Pod");
  });

  const create = (name: string, spec: Partial<StatefulSet["spec"]> = {}) =>
    sets.create({
      metadata: at(name),
      spec: {
        replicas: 3,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "main", image: "image:1" }] },
        },
        ...spec,
      },
    });
  const done = (name: string) =>
    until(
      () => sets.get(at(name)),
      ({ metadata, spec, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.readyReplicas === spec.replicas &&
        status?.replicas === spec.replicas &&
        status?.currentRevision === status?.updateRevision,
    );
  const podsOf = async (name: string) =>
    (await pods.list({ namespace: "default", labelSelector: `app=${name}` })).items;
  const imagesOf = async (name: string) =>
    (await podsOf(name)).map(
      ({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`,
    );
  const setImage = (name: string, image: string) =>
    sets.patch(at(name), {
      strategic: { spec: { template: { spec: { containers: [{ name: "main", image }] } } } },
    });

  test("come up in order, with names that stay", async () => {
    await create("ordered");
    await done("ordered");
    const found = await podsOf("ordered");
    const byAge = found.toSorted(
      (a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion),
    );
    assert.deepEqual(
      byAge.map(({ metadata }) => metadata.name),
      ["ordered-0", "ordered-1", "ordered-2"],
    );
    const [first] = found;
    assert(first !== undefined);
    await pods.delete(first.metadata);
    await until(
      () => podsOf("ordered"),
      (all) => all.length === 3 && all.every(({ metadata }) => metadata.uid !== first.metadata.uid),
    );
    await done("ordered");
  });

  test("roll from the top down to a partition, and back", async () => {
    const rollingUpdate = { partition: 2 };
    await create("parted", { updateStrategy: { type: "RollingUpdate" as const, rollingUpdate } });
    await done("parted");
    await setImage("parted", "image:2");
    await until(
      () => imagesOf("parted"),
      (found) => found.join() === "parted-0 image:1,parted-1 image:1,parted-2 image:2",
    );
    await sets.patch(at("parted"), {
      merge: { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } },
    });
    await done("parted");
    const all = "parted-0 image:2,parted-1 image:2,parted-2 image:2";
    assert.equal((await imagesOf("parted")).join(), all);
    const revisions = cluster.server.client.resource("apps/v1", "ControllerRevision");
    const earlier = await revisions.list({ labelSelector: "app=parted" });
    await setImage("parted", "image:1");
    await done("parted");
    const { items } = await revisions.list({ labelSelector: "app=parted" });
    assert.equal(items.length, earlier.items.length);
    assert.deepEqual(new Set(items.map(({ revision }) => revision)), new Set([2, 3]));
  });

  test("get over an image that does not work", async () => {
    await create("mended");
    await done("mended");
    await setImage("mended", "broken");
    await until(
      () => imagesOf("mended"),
      (found) => found.includes("mended-2 broken"),
    );
    await setImage("mended", "image:3");
    await done("mended");
    assert.equal(
      (await imagesOf("mended")).join(),
      "mended-0 image:3,mended-1 image:3,mended-2 image:3",
    );
  });

  test("scale in parallel", async () => {
    await create("parallel", { podManagementPolicy: "Parallel" as const, replicas: 5 });
    await done("parallel");
    await sets.scale(at("parallel"), 1);
    await done("parallel");
    await until(
      () => podsOf("parallel"),
      (found) => found.length === 1,
    );
  });

  test("[API-14] have claims of their own, which go as the policy says", async () => {
    const { client } = cluster.server;
    await client.resource("storage.k8s.io/v1", "StorageClass").create({
      metadata: { name: "directory" },
      provisioner: "directory.tandem.internal",
      volumeBindingMode: "WaitForFirstConsumer" as const,
    });
    const spec = {
      accessModes: ["ReadWriteOnce" as const],
      storageClassName: "directory",
      resources: { requests: { storage: "1Gi" } },
    };
    const claim = { metadata: { name: "data" }, spec } as unknown as PersistentVolumeClaim;
    await create("voluminous", {
      replicas: 2,
      volumeClaimTemplates: [claim],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
    });
    await done("voluminous");
    const claims = client.resource("v1", "PersistentVolumeClaim");
    const volumes = client.resource("v1", "PersistentVolume");
    const bound = await claims.get(at("data-voluminous-1"));
    assert.equal(bound.status?.phase, "Bound");
    const volume = await volumes.get({ name: bound.spec.volumeName ?? "" });
    assert.equal(volume.spec.claimRef?.uid, bound.metadata.uid);
    const [pod] = (await podsOf("voluminous")).filter(
      ({ metadata }) => metadata.name === "voluminous-1",
    );
    const [term] = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    assert.deepEqual(term?.matchExpressions?.[0]?.values, [pod?.spec.nodeName]);
    await sets.scale(at("voluminous"), 1);
    await until(
      () => claims.list({ namespace: "default" }),
      ({ items }) => items.map(({ metadata }) => metadata.name).join() === "data-voluminous-0",
    );
    // The node sees to the directory before the volume goes.
    await until(
      () => volumes.get(volume.metadata),
      ({ metadata, status }) =>
        metadata.deletionTimestamp !== undefined && status?.phase === "Released",
    );
  });
});

test("a cron job makes a job at its time, and sees it through", async () => {
  const cronJobs = cluster.server.client.resource("batch/v1", "CronJob");
  const jobs = cluster.server.client.resource("batch/v1", "Job");
  await cronJobs.create({
    metadata: at("tick"),
    spec: {
      schedule: "@every 1s",
      concurrencyPolicy: "Forbid" as const,
      jobTemplate: {
        metadata: { labels: { of: "tick" } },
        spec: {
          template: {
            spec: {
              containers: [{ name: "main", image: "image" }],
              restartPolicy: "Never" as const,
            },
          },
        },
      },
    },
  });
  const { status } = await until(
    () => cronJobs.get(at("tick")),
    (cronJob) => cronJob.status?.lastSuccessfulTime !== undefined,
  );
  assert.notEqual(status?.lastScheduleTime, undefined);
  const { items } = await jobs.list({ labelSelector: "of=tick" });
  assert.match(items[0]?.metadata.name ?? "", /^tick-\d+$/);
  await cronJobs.delete(at("tick"), { propagationPolicy: "Background" });
  await until(
    () => jobs.list({ labelSelector: "of=tick" }),
    (left) => left.items.length === 0,
  );
});

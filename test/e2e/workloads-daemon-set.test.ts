// Daemon sets on a server, with the scheduler and nodes on paper.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ResourceClient } from "../../src/api/client/resource-client.ts";
import type { DaemonSet } from "../../src/api/types/apps.ts";
import type { Pod } from "../../src/api/types/core.ts";
import { until } from "../fixtures/controllers.ts";
import { startWorkloads, type WorkloadCluster } from "../fixtures/workloads.ts";

describe("daemon sets", () => {
  let cluster: WorkloadCluster;
  let sets: ResourceClient<DaemonSet>;
  let pods: ResourceClient<Pod>;
  before(async () => {
    cluster = await startWorkloads({ count: 4 });
    sets = cluster.server.client.resource("apps/v1", "DaemonSet");
    pods = cluster.server.client.resource("v1", "Pod");
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const at = (name: string) => ({ namespace: "default", name });
  const create = (name: string, spec: Partial<DaemonSet["spec"]> = {}) =>
    sets.create({
      metadata: at(name),
      spec: {
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "main", image: "image:1" }] },
        },
        ...spec,
      },
    });
  const done = (name: string, count = 4) =>
    until(
      () => sets.get(at(name)),
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.desiredNumberScheduled === count &&
        status.numberAvailable === count &&
        status.updatedNumberScheduled === count,
    );
  const podsOf = async (name: string) =>
    (await pods.list({ namespace: "default", labelSelector: `app=${name}` })).items;
  const nodesOf = async (name: string) =>
    (await podsOf(name)).map(({ spec }) => spec.nodeName ?? "").toSorted();
  const setImage = (name: string, image: string) =>
    sets.patch(at(name), {
      strategic: { spec: { template: { spec: { containers: [{ name: "main", image }] } } } },
    });

  test("have a pod on every node, also on one that is closed", async () => {
    const nodes = cluster.server.client.resource("v1", "Node");
    await nodes.patch({ name: "node-1" }, { merge: { spec: { unschedulable: true } } });
    await create("everywhere");
    await done("everywhere");
    assert.deepEqual(await nodesOf("everywhere"), ["node-0", "node-1", "node-2", "node-3"]);
    await nodes.patch({ name: "node-1" }, { merge: { spec: { unschedulable: false } } });
  });

  test("follow labels and taints of nodes", async () => {
    const nodes = cluster.server.client.resource("v1", "Node");
    const spec = { containers: [{ name: "main", image: "image" }], nodeSelector: { disk: "fast" } };
    await create("chosen", { template: { metadata: { labels: { app: "chosen" } }, spec } });
    await done("chosen", 0);
    for (const name of ["node-0", "node-2"]) {
      await nodes.patch({ name }, { merge: { metadata: { labels: { disk: "fast" } } } });
    }
    await done("chosen", 2);
    assert.deepEqual(await nodesOf("chosen"), ["node-0", "node-2"]);
    const taints = [{ key: "away", effect: "NoExecute" as const }];
    await nodes.patch({ name: "node-2" }, { merge: { spec: { taints } } });
    await done("chosen", 1);
    await until(
      () => nodesOf("chosen"),
      (found) => found.join() === "node-0",
    );
    await nodes.patch({ name: "node-2" }, { merge: { spec: { taints: null } } });
  });

  for (const rollingUpdate of [{ maxUnavailable: 2 }, { maxSurge: 1, maxUnavailable: 0 }]) {
    test(`roll to another image with ${JSON.stringify(rollingUpdate)}`, async () => {
      const name = "maxSurge" in rollingUpdate ? "surging" : "in-place";
      await create(name, { updateStrategy: { type: "RollingUpdate" as const, rollingUpdate } });
      await done(name);
      await setImage(name, "image:2");
      await done(name);
      const found = await until(
        () => podsOf(name),
        (all) => all.length === 4,
      );
      assert(found.every(({ spec }) => spec.containers[0]?.image === "image:2"));
      const revisions = cluster.server.client.resource("apps/v1", "ControllerRevision");
      const { items } = await revisions.list({ labelSelector: `app=${name}` });
      assert.deepEqual(new Set(items.map(({ revision }) => revision)), new Set([1, 2]));
    });
  }

  test("replace pods that fail, and pods that somebody deletes", async () => {
    await create("mended");
    await done("mended");
    const [first] = await podsOf("mended");
    assert(first !== undefined);
    await pods.delete(first.metadata);
    await until(
      () => podsOf("mended"),
      (all) => all.length === 4 && all.every(({ metadata }) => metadata.uid !== first.metadata.uid),
    );
    await done("mended");
  });
});

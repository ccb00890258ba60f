// Deployments on a server, with the scheduler and nodes on paper.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ResourceClient } from "../../src/api/client/resource-client.ts";
import type { Deployment } from "../../src/api/types/apps.ts";
import type { Pod } from "../../src/api/types/core.ts";
import { type ControlledServer, until } from "../fixtures/controllers.ts";
import type { FakeNodes } from "../fixtures/fake-nodes.ts";
import { startWorkloads, type WorkloadCluster } from "../fixtures/workloads.ts";

describe("deployments", () => {
  let cluster: WorkloadCluster;
  let server: ControlledServer;
  let nodes: FakeNodes;
  let deployments: ResourceClient<Deployment>;
  let pods: ResourceClient<Pod>;
  before(async () => {
    cluster = await startWorkloads();
    ({ server, nodes } = cluster);
    deployments = server.client.resource("apps/v1", "Deployment");
    pods = server.client.resource("v1", "Pod");
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const at = (name: string) => ({ namespace: "default", name });
  const create = (name: string, spec: Partial<Deployment["spec"]> = {}) =>
    deployments.create({
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
  const isDone = ({ metadata, spec, status }: Deployment): boolean =>
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === spec.replicas &&
    status?.replicas === spec.replicas &&
    status?.availableReplicas === spec.replicas;
  const done = (name: string) => until(() => deployments.get(at(name)), isDone);
  const podsOf = async (name: string) =>
    (await pods.list({ namespace: "default", labelSelector: `app=${name}` })).items;
  const setImage = (name: string, image: string) =>
    deployments.patch(at(name), {
      strategic: { spec: { template: { spec: { containers: [{ name: "main", image }] } } } },
    });

  test("come up, spread over the nodes", async () => {
    await create("up", { replicas: 6 });
    await done("up");
    const found = await podsOf("up");
    const byNode = Map.groupBy(found, ({ spec }) => spec.nodeName);
    assert.deepEqual(
      [...byNode.values()].map((each) => each.length),
      [2, 2, 2],
    );
  });

  test("roll to another image", async () => {
    await create("roll", { replicas: 4 });
    await done("roll");
    await setImage("roll", "image:2");
    await done("roll");
    const left = await until(
      () => podsOf("roll"),
      (found) => found.length === 4,
    );
    assert(left.every(({ spec }) => spec.containers[0]?.image === "image:2"));
  });

  test("come to rest: nothing is written any more", async () => {
    await create("rest", { replicas: 3 });
    await done("rest");
    let asked = -1;
    await until(
      async () => {
        const isQuiet = asked === server.asked.length;
        asked = server.asked.length;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return isQuiet;
      },
      (isQuiet) => isQuiet,
    );
  });

  test("whose pods do not get ready stop, and go on when they are mended", async () => {
    nodes.fate = ({ spec }) => (spec.containers[0]?.image === "broken" ? "unready" : "ready");
    await create("stuck", { replicas: 4, progressDeadlineSeconds: 2 });
    await done("stuck");
    await setImage("stuck", "broken");
    const stuck = await until(
      () => deployments.get(at("stuck")),
      ({ status }) =>
        status?.conditions?.some(({ reason }) => reason === "ProgressDeadlineExceeded") === true,
    );
    assert((stuck.status?.availableReplicas ?? 0) >= 3);
    await setImage("stuck", "image:3");
    await done("stuck");
  });

  test("are recreated, if they want that", async () => {
    await create("fresh", { replicas: 2, strategy: { type: "Recreate" } });
    await done("fresh");
    await setImage("fresh", "image:2");
    await done("fresh");
    // Old pods that have ended are in nobody's way, but may still be there.
    const found = await until(
      () => podsOf("fresh"),
      (all) => all.length === 2,
    );
    assert.deepEqual(
      found.map(({ spec }) => spec.containers[0]?.image),
      ["image:2", "image:2"],
    );
  });
});

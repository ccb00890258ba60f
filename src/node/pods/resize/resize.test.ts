import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Pod } from "../../../api/types/core.ts";
import { isReady, TestNode } from "../testing/node.ts";
import { podOf } from "../testing/pod.ts";

describe("[API-16] a container that runs", () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await TestNode.open({ allocatable: { cpu: "4", memory: "1Gi" } });
  });
  afterEach(() => node[Symbol.asyncDispose]());

  const cpu = (amount: string) => ({ requests: { cpu: amount }, limits: { cpu: amount } });
  const types = ({ status }: Pod) => (status?.conditions ?? []).map(({ type }) => type);
  const isOf =
    (amount: string) =>
    ({ status }: Pod) =>
      status?.containerStatuses?.[0]?.resources?.limits?.["cpu"] === amount;

  async function resize(amount: string): Promise<void> {
    const pod = await node.get("web");
    const containers = pod.spec.containers.map((each) => ({ ...each, resources: cpu(amount) }));
    await node.pods.update({ ...pod, spec: { ...pod.spec, containers } });
  }

  test("gets other limits without a restart", async () => {
    await node.create(podOf("web", { container: { resources: cpu("1") } }));
    const ready = await node.until("web", isReady);
    assert.deepEqual(ready.status?.containerStatuses?.[0]?.allocatedResources, { cpu: "1" });
    await resize("2");
    const { status } = await node.until("web", isOf("2"));
    assert.equal(status?.containerStatuses?.[0]?.restartCount, 0);
    assert.deepEqual(node.containers.resizes, ['main {"cpuRequestMillis":2000,"cpuMillis":2000}']);
  });

  test("is restarted where its policy asks for it", async () => {
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
    await node.create(podOf("web", { container: { resources: cpu("1"), resizePolicy } }));
    await node.until("web", isReady);
    await resize("2");
    const { status } = await node.until("web", (pod) => isOf("2")(pod) && isReady(pod));
    assert.equal(status?.containerStatuses?.[0]?.restartCount, 1);
    assert.equal(node.containers.specs.get("main")?.resources?.cpuMillis, 2000);
    assert.deepEqual(node.containers.resizes, []);
  });

  test("keeps what it has when the node has no more, and the pod says why", async () => {
    await node.create(podOf("web", { container: { resources: cpu("1") } }));
    await node.until("web", isReady);
    await resize("9");
    const waiting = await node.until("web", (pod) => types(pod).includes("PodResizePending"));
    assert.deepEqual(waiting.status?.containerStatuses?.[0]?.resources, cpu("1"));
    await resize("1");
    await node.until("web", (pod) => !types(pod).includes("PodResizePending"));
    assert.deepEqual(node.containers.resizes, []);
  });

  test("is tried again when the kernel refuses", async () => {
    await node.create(podOf("web", { container: { resources: cpu("1") } }));
    await node.until("web", isReady);
    node.containers.resizeFault = () => new Error("busy");
    await resize("2");
    const waiting = await node.until("web", (pod) => types(pod).includes("PodResizeInProgress"));
    const condition = waiting.status?.conditions?.find((each) => each.type.endsWith("InProgress"));
    assert.deepEqual([condition?.reason, condition?.message], ["Error", "busy"]);
    node.containers.resizeFault = () => undefined;
    await node.until("web", (pod) => isOf("2")(pod) && !types(pod).includes(condition?.type ?? ""));
  });
});

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { isReady, TestNode } from "../testing/node.ts";
import { podOf } from "../testing/pod.ts";

describe("[API-16] processes", () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await TestNode.open();
  });
  afterEach(() => node[Symbol.asyncDispose]());

  const spec = {
    shareProcessNamespace: true,
    containers: [
      { name: "one", image: "image" },
      { name: "two", image: "image" },
    ],
  };
  const namespaceOf = (name: string) => node.containers.specs.get(name)?.namespaces.pid;

  test("are shared in a namespace that no container of the pod has begun", async () => {
    await node.create(podOf("web", { spec }));
    await node.until("web", isReady);
    assert.deepEqual(node.containers.running.toSorted(), ["", "one", "two"]);
    assert.deepEqual([namespaceOf("one"), namespaceOf("two")], Array(2).fill("/proc/1/ns/pid"));
    const first = node.containers.specs.get("");
    assert.equal(first?.image, "tandem.internal/pause");
    assert.deepEqual(first?.security?.dropCapabilities, ["ALL"]);
    assert.deepEqual(first?.mounts, []);
  });

  test("are shared by a namespace that goes with the pod", async () => {
    await node.create(podOf("web", { spec, metadata: { finalizers: ["example.com/hold"] } }));
    await node.until("web", isReady);
    await node.pods.delete({ namespace: "default", name: "web" });
    await node.eventually(
      async () => (await node.containers.list()).length === 0 || undefined,
      "nothing",
    );
  });

  test("of a target are seen by the container that debugs it", async () => {
    await node.create(podOf("web"));
    const pod = await node.until("web", isReady);
    const debug = { name: "debug", image: "image", targetContainerName: "main" };
    await node.pods.update({ ...pod, spec: { ...pod.spec, ephemeralContainers: [debug] } });
    await node.eventually(async () => node.containers.named("debug"), "debug");
    assert.equal(namespaceOf("debug"), "/proc/1/ns/pid");
    assert.equal(namespaceOf("main"), undefined);
  });
});

describe("[API-13] the RuntimeClass of a pod", () => {
  const classes = (node: TestNode) => node.api.client.resource("node.k8s.io/v1", "RuntimeClass");
  const kind = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass" } as const;

  test("names a handler that the node has", async () => {
    await using node = await TestNode.open({ runtimeHandlers: ["runc", "plain"] });
    await classes(node).create({ ...kind, metadata: { name: "mine" }, handler: "plain" });
    await node.create(podOf("web", { spec: { runtimeClassName: "mine" } }));
    await node.until("web", isReady);
  });

  test("keeps it pending when the node has no such handler, or there is no such class", async () => {
    await using node = await TestNode.open();
    await classes(node).create({ ...kind, metadata: { name: "mine" }, handler: "sandboxed" });
    await node.create(podOf("one", { spec: { runtimeClassName: "mine" } }));
    await node.create(podOf("two", { spec: { runtimeClassName: "none" } }));
    const said = async (text: string) =>
      node.remarks.find((each) => each.message.includes(text))?.reason;
    const missing = await node.eventually(() => said('"sandboxed" is not configured'), "a handler");
    assert.equal(missing, "FailedCreatePodSandBox");
    await node.eventually(() => said('RuntimeClass "none": it is not there'), "a class");
    assert.deepEqual(node.containers.running, []);
  });
});

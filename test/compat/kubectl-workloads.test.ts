// Scaling, changing and waiting. No controller runs here: the tests write what one would, and are the
// only ones who do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEveryKubectl, type Given } from "../fixtures/kubectl.ts";

forEveryKubectl("[API-1] workloads", (given) => {
  test("scale", async () => {
    await deploy(given, "scaled");
    await given.kubectl.run("scale", "deployment", "scaled", "--replicas=4");
    assert.equal(await field(given, "scaled", "{.spec.replicas}"), "4");
    const refused = await given.kubectl.try([
      "scale",
      "deployment",
      "scaled",
      "--current-replicas=2",
      "--replicas=9",
    ]);
    assert.equal(refused.code, 1);
    assert.equal(await field(given, "scaled", "{.spec.replicas}"), "4");
    const scale = `/apis/apps/v1/namespaces/${given.namespace}/deployments/scaled/scale`;
    const { kind, spec, status } = JSON.parse(
      await given.kubectl.run("get", "--raw", scale),
    ) as Record<string, unknown>;
    assert.deepEqual(
      [kind, spec, status],
      ["Scale", { replicas: 4 }, { replicas: 0, selector: "app=scaled" }],
    );
  });

  test("set image and env", async () => {
    await deploy(given, "set");
    await given.kubectl.run("set", "image", "deployment/set", "nginx=nginx:2");
    await given.kubectl.run("set", "env", "deployment/set", "A=1", "B=2");
    await given.kubectl.run("set", "env", "deployment/set", "A-");
    const path =
      "{.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].env[*].name}";
    assert.equal(await field(given, "set", path), "nginx:2 B");
  });

  test("cordon, taint and drain-like eviction", async () => {
    const node = `node-${given.namespace}`;
    await given.kubectl.pipe(
      { apiVersion: "v1", kind: "Node", metadata: { name: node } },
      "create",
      "-f",
      "-",
    );
    await given.kubectl.run("cordon", node);
    await given.kubectl.run("taint", "node", node, "special=yes:NoSchedule");
    assert.match(await given.kubectl.run("get", "node", node), /SchedulingDisabled/);
    await given.kubectl.run("run", "evicted", "--image=nginx");
    const path = `/api/v1/namespaces/${given.namespace}/pods/evicted`;
    const bound = await given.server.call("POST", `${path}/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "evicted" },
      target: { kind: "Node", name: node },
    });
    assert.equal(bound.code, 201, bound.text);
    assert.match(await given.kubectl.run("get", "pod", "evicted", "-o", "wide"), new RegExp(node));
    const evicted = await given.server.call("POST", `${path}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "evicted" },
    });
    assert.equal(evicted.code, 201, evicted.text);
    assert.match(await given.kubectl.run("get", "pod", "evicted"), /Terminating/);
    await given.kubectl.run("delete", "pod", "evicted", "--grace-period=0", "--force");
    await given.kubectl.run("delete", "node", node);
  });

  test("wait for a condition that comes while waiting", async () => {
    await deploy(given, "awaited");
    const waiting = given.kubectl.run(
      "wait",
      "--for=condition=Available",
      "deployment/awaited",
      "--timeout=60s",
    );
    await report(given, "awaited", 1);
    assert.equal(await waiting, "deployment.apps/awaited condition met\n");
  });
});

async function deploy(given: Given, name: string): Promise<void> {
  await given.kubectl.run("create", "deployment", name, "--image=nginx");
}

function field(given: Given, name: string, path: string): Promise<string> {
  return given.kubectl.run("get", "deployment", name, "-o", `jsonpath=${path}`);
}

/** What the controller says when everything is up. */
async function report(given: Given, name: string, observedGeneration: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${given.namespace}/deployments/${name}/status`;
  const condition = { type: "Available", status: "True", reason: "x", message: "x" };
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const status = { observedGeneration, ...counts, conditions: [condition] };
  const { code, text } = await given.server.send("PATCH", path, {
    body: JSON.stringify({ status }),
    type: "application/merge-patch+json",
  });
  assert.equal(code, 200, text);
}

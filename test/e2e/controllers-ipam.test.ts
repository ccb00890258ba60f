// Reservations of the IPAM plugin under the controllers of a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { TestServer } from "../fixtures/server.ts";

const pools = "/apis/whereabouts.cni.cncf.io/v1alpha1/namespaces/kube-system/ippools";

test("[IPAM-10] the server releases the addresses of pods that are gone, and no others", {
  timeout: 240_000,
}, async () => {
  // They look when they begin, so what they are to find has to be there before.
  const flags = ["--controllers="];
  await using server = await TestServer.start({ arguments: flags });
  const call = async (method: string, path: string, body?: object) => {
    const answer = await server.call(method, path, body);
    assert.ok(answer.code < 300, answer.text);
    return answer.body;
  };
  await call("POST", "/api/v1/namespaces/default/pods", {
    metadata: { name: "living" },
    spec: { containers: [{ name: "one", image: "one" }] },
  });
  const allocation = (pod: string) => ({ id: pod, podref: `default/${pod}`, ifname: "eth0" });
  for (const [name, range] of [
    ["10.60.0.0-16", "10.60.0.0/16"],
    ["fd60---64", "fd60::/64"],
  ]) {
    await call("POST", pools, {
      apiVersion: "whereabouts.cni.cncf.io/v1alpha1",
      kind: "IPPool",
      metadata: { name },
      spec: { range, allocations: { "1": allocation("living"), "2": allocation("gone") } },
    });
  }
  await server.kill();
  flags.length = 0;
  await server.launch();
  const owners = async () => {
    const { items = [] } = await call("GET", pools);
    const specs = items.map(({ spec }) => spec as { allocations: Record<string, object> });
    return specs.map(({ allocations }) => Object.keys(allocations).join());
  };
  await until(owners, (left) => left.every((offsets) => offsets === "1"));
});

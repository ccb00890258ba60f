import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../../api/types/core.ts";
import { addressesOf } from "./published.ts";

const clusterIPs = ["10.96.0.9", "fd00:96::9"];

function service(spec: Service["spec"], ips: readonly string[] = []): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "kube-system", name: "ingress" },
    spec: { clusterIPs, ...spec },
    status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } },
  };
}

const reached = (...given: Parameters<typeof service>) =>
  addressesOf(service(...given)).map(({ ip }) => ip);

test("a load balancer is reached by its own addresses, and by none before it has them", () => {
  assert.deepEqual(reached({ type: "LoadBalancer" }), []);
  const own = ["192.0.2.10", "2001:db8::10"];
  assert.deepEqual(reached({ type: "LoadBalancer" }, own), own);
});

test("another service is reached by its external addresses, or else by those of the cluster", () => {
  assert.deepEqual(reached({ externalIPs: ["192.0.2.7"] }), ["192.0.2.7"]);
  assert.deepEqual(reached({}), clusterIPs);
  assert.deepEqual(reached({ clusterIPs: ["None"] }), []);
});

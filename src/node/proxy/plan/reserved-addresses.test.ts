import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { planService } from "./plan-service.ts";

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "default", name: "hijack" },
  spec: {
    type: "LoadBalancer",
    clusterIP: "10.96.0.9",
    clusterIPs: ["10.96.0.9"],
    ipFamilies: ["IPv4"],
    externalIPs: ["192.0.2.10", "10.244.0.7", "198.51.100.1"],
    ports: [{ port: 6443, protocol: "TCP" }],
  },
  status: { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } },
} as unknown as Service;

const planned = (allowsReserved: boolean) =>
  planService(
    { service, slices: [], endpoints: undefined },
    {
      node: { name: "one", zone: undefined, addresses: [Address.parse("192.0.2.10")] },
      families: [
        {
          family: "IPv4",
          podPrefix: Prefix.parse("10.244.0.0/16"),
          masqueradeAll: false,
          nodePortAddresses: [],
        } as never,
      ],
      allowsReserved,
    },
  );

test("[SEC-8] the proxy leaves out addresses of its node and of pods, and says so", () => {
  assert.deepEqual(
    planned(false).problems.map(({ field, state }) => `${field}: ${state}`),
    [
      "status.loadBalancer.ingress[0].ip: it is an address of this node",
      "spec.externalIPs[0]: it is an address of this node",
      "spec.externalIPs[1]: it is in the range of pods",
    ],
  );
  assert.deepEqual(planned(true).problems, []);
});

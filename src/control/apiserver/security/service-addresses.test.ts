import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attributes } from "../access.ts";
import type { ObjectReader } from "./objects.ts";
import { serviceAddresses } from "./service-addresses.ts";

const lists: Record<string, object[]> = {
  nodes: [
    {
      metadata: { name: "one" },
      spec: { podCIDRs: ["10.244.1.0/24", "fd00:244:1::/64"] },
      status: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }] },
    },
  ],
  servicecidrs: [{ spec: { cidrs: ["10.96.0.0/16"] } }],
  "config.openshift.io/infrastructures": [
    { status: { platformStatus: { apiServerInternalIPs: ["192.0.2.200"] } } },
  ],
};
const objects = {
  list: (resource: string) => lists[resource] ?? [],
  get: () => ({ subsets: [{ addresses: [{ ip: "192.0.2.1" }] }] }),
} as unknown as ObjectReader;
const attributes: Attributes = {
  verb: "create",
  group: "",
  version: "v1",
  resource: "services",
  path: "",
};
const user = { name: "editor", groups: [] };
const reserved = {
  isOpen: false,
  ranges: [{ cidr: "fd00:244::/48", what: "in the cluster CIDR fd00:244::/48" }],
  own: ["2001:db8::1"],
};
const service = (spec: object, status: object = {}) => ({ metadata: { name: "s" }, spec, status });

test("[SEC-8] a service takes no address of the API, a node, pods, services or a VIP", () => {
  const admission = serviceAddresses(objects, reserved);
  const refused: [string, string][] = [
    ["192.0.2.10", "an address of the node one"],
    ["10.244.1.7", "in the pod CIDR of one"],
    ["fd00:244:0:9::1", "in the cluster CIDR fd00:244::/48"],
    ["10.96.0.10", "in the service CIDR 10.96.0.0/16"],
    ["192.0.2.200", "a virtual address of the cluster"],
    ["192.0.2.1", "an address of the API server"],
    ["2001:db8::1", "an address of the API server"],
    ["2001:DB8:0::1", "an address of the API server"],
  ];
  for (const [address, owner] of refused) {
    const attempts: [string, object][] = [
      ["spec.externalIPs[0]", service({ externalIPs: [address] })],
      ["spec.loadBalancerIP", service({ loadBalancerIP: address })],
      [
        "status.loadBalancer.ingress[0].ip",
        service({}, { loadBalancer: { ingress: [{ ip: address }] } }),
      ],
    ];
    for (const [field, object] of attempts) {
      assert.throws(
        () => admission.admit(user, attributes, { new: object }),
        (error: Error) =>
          error.message.includes(`${field}: Forbidden: may not be ${address}, which is ${owner}`),
      );
    }
  }
  admission.admit(user, attributes, { new: service({ externalIPs: ["198.51.100.7"] }) });
});

test("[SEC-8] what a service has already may stay, and the operator may allow the rest", () => {
  const admission = serviceAddresses(objects, reserved);
  const old = service({ externalIPs: ["192.0.2.10"] });
  admission.admit(user, attributes, {
    old,
    new: service({ externalIPs: ["192.0.2.10"], ports: [] }),
  });
  const open = serviceAddresses(objects, { ...reserved, isOpen: true });
  open.admit(user, attributes, { new: old });
});

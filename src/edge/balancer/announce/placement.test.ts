import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { balancedAddresses, fitNodes, holderOf } from "./placement.ts";

const lan = [Prefix.parse("192.0.2.0/24"), Prefix.parse("2001:db8::/64")];
const candidates = ["a", "b", "c", "d"].map((node) => ({ node, networks: lan }));

function shared(nodes: readonly (readonly string[] | undefined)[], address = "192.0.2.10") {
  return {
    address: Address.parse(address),
    services: nodes.map((names, n) => ({
      key: `default/s${n}`,
      nodes: names === undefined ? undefined : new Set(names),
    })),
  };
}

test("[ING-2] everybody comes to the same holder, and both families have the same", () => {
  const holder = holderOf(shared([undefined]), candidates);
  assert.equal(holderOf(shared([undefined]), candidates.toReversed()), holder);
  assert.equal(holderOf(shared([undefined], "2001:db8::10"), candidates), holder);
});

test("a node that goes moves its own addresses only", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.constantFrom("a", "b", "c", "d"), (key, gone) => {
      const address = { ...shared([]), services: [{ key, nodes: undefined }] };
      const before = holderOf(address, candidates);
      const after = holderOf(
        address,
        candidates.filter(({ node }) => node !== gone),
      );
      assert.ok(before === gone ? after !== gone : after === before);
    }),
  );
});

test("many services are spread over all nodes", () => {
  const counts = new Map<string | undefined, number>();
  for (let n = 0; n < 400; n++) {
    const services = [{ key: `default/web-${n}`, nodes: undefined }];
    const holder = holderOf({ ...shared([]), services }, candidates);
    counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  for (const { node } of candidates) assert.ok((counts.get(node) ?? 0) > 50, node);
});

test("[ING-2] only nodes with endpoints have the address of a service that is local", () => {
  assert.equal(holderOf(shared([["b"]]), candidates), "b");
  assert.equal(holderOf(shared([[]]), candidates), undefined);
  assert.equal(
    holderOf(
      shared([
        ["b", "c"],
        ["c", "d"],
      ]),
      candidates,
    ),
    "c",
  );
  assert.ok(["b", "d"].includes(holderOf(shared([["b"], ["d"]]), candidates) ?? ""));
});

test("only nodes on its network have an address", () => {
  const elsewhere = [{ node: "z", networks: [Prefix.parse("198.51.100.0/24")] }];
  assert.equal(holderOf(shared([undefined]), elsewhere), undefined);
});

test("a node that was cut off keeps what it has, and gets nothing else yet", () => {
  const address = shared([undefined]);
  const holder = holderOf(address, candidates);
  const returned = (keeps: readonly string[]) =>
    candidates.map((each) => (each.node === holder ? { ...each, keeps: new Set(keeps) } : each));
  assert.equal(holderOf(address, returned(["192.0.2.10"])), holder);
  assert.notEqual(holderOf(address, returned([""])), holder);
});

test("nodes that are not ready or excluded are passed over, unless there is no other", () => {
  const node = (name: string, status: string, labels = {}): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: {},
    status: { conditions: [{ type: "Ready", status }] },
  });
  const label = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };
  const all = [node("a", "True"), node("b", "Unknown"), node("c", "True", label)];
  const names = (nodes: readonly Node[]) => fitNodes(candidates, nodes).map((each) => each.node);
  assert.deepEqual(names(all), ["a"]);
  assert.deepEqual(names(all.slice(1)), ["a", "b", "d"]);
});

test("an endpoint counts for the family of its slice", () => {
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "default", name: "web" },
    spec: { type: "LoadBalancer" as const, externalTrafficPolicy: "Local" as const },
    status: {
      loadBalancer: {
        ingress: [
          { ip: "192.0.2.10" },
          { ip: "2001:db8::10" },
          { ip: "192.0.2.9", ipMode: "Proxy" },
        ],
      },
    },
  };
  const slice = (
    addressType: EndpointSlice["addressType"],
    nodeName: string,
    ready: boolean,
  ): EndpointSlice => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "default", name: addressType },
    addressType,
    endpoints: [{ addresses: [], nodeName, conditions: { ready } }],
  });
  const slices = [slice("IPv4", "a", true), slice("IPv4", "b", false), slice("IPv6", "c", true)];
  assert.deepEqual(
    balancedAddresses([service], { slicesOf: () => slices, nodes: [] }).map(
      ({ address, services }) => [address.toString(), [...(services[0]?.nodes ?? [])]],
    ),
    [
      ["192.0.2.10", ["a"]],
      ["2001:db8::10", ["c"]],
    ],
  );
});

test("[SEC-8] an address of a node is announced for no service, whatever its status says", () => {
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "default", name: "web" },
    spec: { type: "LoadBalancer" },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { ip: "2001:db8::10" }] } },
  };
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "a" },
    spec: {},
    status: { addresses: [{ type: "InternalIP", address: "192.0.2.1" }] },
  };
  const found = balancedAddresses([service], { slicesOf: () => [], nodes: [node] });
  assert.deepEqual(
    found.map(({ address }) => String(address)),
    ["2001:db8::10"],
  );
});

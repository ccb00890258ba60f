// Generators of small random clusters in which every feature of policies occurs often.

import fc from "fast-check";
import type { LabelSelector } from "../../../../api/types/meta.ts";
import type { IPBlock, NetworkPolicy } from "../../../../api/types/networking.ts";
import { defined } from "../../../../base/json/defined.ts";
import { Address } from "../../../../base/net/address.ts";
import { type Family, families } from "../../../../base/net/family.ts";
import { defaultNetwork, type PodFacts, type Protocol } from "../model.ts";
import type { ClusterNetworkPolicy } from "../read-cluster-policy.ts";
import type { OraclePod, OracleQuestion } from "./oracle.ts";

const keys = ["a", "b"];
const values = ["x", "y"];
export const namespaceNames = ["one", "two", "three"];
const podNumbers = [1, 2, 3, 4, 5, 6, 7];

const labels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), { maxKeys: 2 });

const selector: fc.Arbitrary<LabelSelector> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: labels.map((matchLabels) => ({ matchLabels })) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        key: fc.constantFrom(...keys),
        operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist"),
        values: fc.subarray(values, { minLength: 1 }),
      })
      .map(({ key, operator, values: chosen }) => ({
        matchExpressions: [
          operator.endsWith("In") ? { key, operator, values: chosen } : { key, operator },
        ],
      })),
  },
);

const portNumber = fc.constantFrom(80, 81, 82, 90, 96, 100);
const protocol = fc.constantFrom("TCP" as const, "UDP" as const, "SCTP" as const);
const portNames = ["web", "dns"];

const block = fc.constantFrom<IPBlock>(
  { cidr: "10.0.0.0/8" },
  { cidr: "0.0.0.0/0" },
  { cidr: "0.0.0.0/0", except: ["10.0.0.0/29", "192.0.2.0/24"] },
  { cidr: "10.0.0.0/24", except: ["10.0.0.4/30"] },
  { cidr: "10.0.0.2/31" },
  { cidr: "192.0.2.7/32" },
  { cidr: "::/0" },
  { cidr: "fd00::/16", except: ["fd00::4/126"] },
  { cidr: "fd00::2/127" },
  { cidr: "2001:db8::/32", except: ["2001:db8::/64"] },
);

const peer = fc.oneof(
  { weight: 3, arbitrary: selector.map((podSelector) => ({ podSelector })) },
  { weight: 2, arbitrary: selector.map((namespaceSelector) => ({ namespaceSelector })) },
  {
    weight: 2,
    arbitrary: fc.record({ namespaceSelector: selector, podSelector: selector }),
  },
  { weight: 3, arbitrary: block.map((ipBlock) => ({ ipBlock })) },
);

const port = fc.oneof(
  { weight: 1, arbitrary: protocol.map((one) => ({ protocol: one })) },
  {
    weight: 3,
    arbitrary: fc.record({ protocol, port: portNumber }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ protocol, port: portNumber, more: fc.integer({ min: 0, max: 30 }) })
      .map(({ more, ...rest }) => ({ ...rest, endPort: rest.port + more })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      protocol,
      port: fc.constantFrom<string | number>(...portNames),
    }),
  },
);

function some<T>(arbitrary: fc.Arbitrary<T>, maxLength = 2): fc.Arbitrary<T[]> {
  return fc.array(arbitrary, { maxLength });
}

export const networkPolicy: fc.Arbitrary<NetworkPolicy> = fc
  .record({
    namespace: fc.constantFrom(...namespaceNames),
    podSelector: selector,
    ingress: some(fc.record({ from: some(peer), ports: some(port) })),
    egress: some(fc.record({ to: some(peer), ports: some(port) })),
    policyTypes: fc.subarray(["Ingress" as const, "Egress" as const], { minLength: 1 }),
  })
  .map(({ namespace, ...spec }) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace, name: "p" },
    spec,
  }));

const clusterPodPeer = fc.oneof(
  selector.map((namespaces) => ({ namespaces })),
  fc.record({ namespaceSelector: selector, podSelector: selector }).map((pods) => ({ pods })),
);
const clusterPeer = fc.oneof(
  { weight: 4, arbitrary: clusterPodPeer },
  {
    weight: 2,
    arbitrary: fc
      .array(block, { minLength: 1, maxLength: 2 })
      .map((blocks) => ({ networks: blocks.map(({ cidr }) => cidr) })),
  },
  { weight: 1, arbitrary: selector.map((nodes) => ({ nodes })) },
);
const clusterPort = fc.oneof(
  portNumber.map((number) => ({ number })),
  fc
    .record({ start: portNumber, more: fc.integer({ min: 1, max: 30 }) })
    .map(({ start, more }) => ({ range: { start, end: start + more } })),
);
const clusterProtocol = fc.oneof(
  clusterPort.map((destinationPort) => ({ tcp: { destinationPort } })),
  clusterPort.map((destinationPort) => ({ udp: { destinationPort } })),
  fc.constantFrom(...portNames).map((destinationNamedPort) => ({ destinationNamedPort })),
);

function clusterRule<T>(side: "from" | "to", peers: fc.Arbitrary<T>) {
  return fc
    .record({
      action: fc.constantFrom("Accept", "Deny", "Pass"),
      peers: fc.array(peers, { minLength: 1, maxLength: 2 }),
      protocols: fc.option(fc.array(clusterProtocol, { minLength: 1, maxLength: 2 }), {
        nil: undefined,
      }),
    })
    .map(({ peers: chosen, protocols, action }) => ({
      action,
      [side]: chosen,
      ...defined({ protocols }),
    }));
}

export const clusterPolicy: fc.Arbitrary<ClusterNetworkPolicy> = fc
  .record({
    tier: fc.constantFrom("Admin", "Baseline"),
    priority: fc.integer({ min: 0, max: 3 }),
    subject: clusterPodPeer,
    ingress: some(clusterRule("from", clusterPodPeer)),
    egress: some(clusterRule("to", clusterPeer)),
  })
  .map((spec) => ({ metadata: { name: "c" }, spec }));

export const pod: fc.Arbitrary<OraclePod> = fc
  .record({
    number: fc.constantFrom(...podNumbers),
    namespace: fc.constantFrom(...namespaceNames),
    labels,
    ports: fc.subarray([
      { name: "web", protocol: "TCP", port: 80 },
      { name: "dns", protocol: "UDP", port: 90 },
      { name: "dns", protocol: "TCP", port: 96 },
    ]),
  })
  .map(({ number, ...rest }) => ({
    ...rest,
    name: `pod-${number}`,
    addresses: [`10.0.0.${number}`, `fd00::${number}`],
  }));

export const namespaceLabels = labels;

export const nodes = [
  { labels: { a: "x" }, addresses: ["192.0.2.7", "2001:db8::7"] },
  { labels: { b: "y" }, addresses: ["192.0.2.8", "2001:db8::8"] },
];

const outside: Readonly<Record<Family, readonly string[]>> = {
  IPv4: ["192.0.2.7", "192.0.2.8", "198.51.100.1", "10.0.0.200"],
  IPv6: ["2001:db8::7", "2001:db8:1::8", "2001:db9::1", "fd00::200"],
};

/** A question about a pod's traffic, with the pod as a number still to be chosen. */
export const question = fc.record({
  direction: fc.constantFrom("ingress" as const, "egress" as const),
  subject: fc.nat(),
  family: fc.constantFrom(...families),
  peer: fc.nat(),
  protocol: fc.constantFrom<OracleQuestion["protocol"]>("TCP", "TCP", "UDP", "SCTP", "ICMP"),
  port: fc.constantFrom(79, 80, 81, 82, 90, 95, 96, 100, 101, 110),
});

export function peersOf(pods: readonly OraclePod[], family: Family): readonly string[] {
  const of = pods.flatMap(({ addresses }) => addresses[family === "IPv4" ? 0 : 1] ?? []);
  return [...of, ...outside[family]];
}

export function factsOf(one: OraclePod): PodFacts {
  return {
    key: `${one.namespace}/${one.name}`,
    namespace: one.namespace,
    labels: one.labels,
    addresses: one.addresses.map((text) => {
      const address = Address.parse(text);
      return { address, text, family: address.family, network: defaultNetwork };
    }),
    ports: one.ports.map(({ name, protocol: written, port: number }) => ({
      name,
      protocol: written.toLowerCase() as Protocol,
      port: number,
    })),
    isLocal: true,
  };
}

// A cluster of as many namespaces as policies: each has ten pods, one of which is on this node, and a
// policy that lets some of the others reach it.

import type { NetworkPolicy } from "../../src/api/types/networking.ts";
import { Address } from "../../src/base/net/address.ts";
import type { PodFacts, Policy } from "../../src/node/policy/plan/model.ts";
import { PolicyState } from "../../src/node/policy/plan/policy-state.ts";
import { readNetworkPolicy } from "../../src/node/policy/plan/read-network-policy.ts";

export const podsEach = 10;

export function addressOf(policy: number, pod: number): string {
  const number = policy * podsEach + pod;
  return `10.${16 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

export function podOf(policy: number, pod: number): PodFacts {
  const address = Address.parse(addressOf(policy, pod));
  return {
    key: `n${policy}/p${pod}`,
    namespace: `n${policy}`,
    labels: { role: pod % 2 === 0 ? "server" : "client" },
    addresses: [{ address, text: address.toString(), family: "IPv4", network: "" }],
    ports: [],
    isLocal: pod === 0,
  };
}

export function policyOf(policy: number, port: number): Policy {
  return readNetworkPolicy(policyObject(policy, port));
}

export function policyObject(policy: number, port: number): NetworkPolicy {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: `n${policy}`, name: "p" },
    spec: {
      podSelector: { matchLabels: { role: "server" } },
      ingress: [
        {
          from: [{ podSelector: { matchLabels: { role: "client" } } }],
          ports: [{ protocol: "TCP", port }],
        },
      ],
      policyTypes: ["Ingress"],
    },
  };
}

export function stateOf(policies: number): PolicyState {
  const state = new PolicyState();
  for (let policy = 0; policy < policies; policy++) {
    state.setNamespace(`n${policy}`, { labels: { ns: `n${policy}` }, isAudited: false });
    for (let pod = 0; pod < podsEach; pod++) state.setPod(`n${policy}/p${pod}`, podOf(policy, pod));
    state.setPolicy(`n${policy}/p`, policyOf(policy, 80));
  }
  return state;
}

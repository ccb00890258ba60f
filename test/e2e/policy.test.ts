import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { NetworkPolicy } from "../../src/api/types/networking.ts";
import { families } from "../../src/base/net/family.ts";
import type { ClusterNetworkPolicy } from "../../src/node/policy/plan/read-cluster-policy.ts";
import type { OracleCluster } from "../../src/node/policy/plan/testing/oracle.ts";
import { type DisposableCluster, disposableCluster } from "./cluster.fixture.ts";
import {
  addressOf,
  allRows,
  applyAll,
  isRowAllowed,
  namespaces,
  rowText,
  type ServedPod,
  startPods,
  tryRows,
} from "./policy.fixture.ts";

interface Scenario {
  readonly name: string;
  readonly policies: (pods: readonly ServedPod[]) => readonly NetworkPolicy["spec"][];
  readonly clusterPolicies?: readonly ClusterNetworkPolicy["spec"][];
}

const front = { matchLabels: { tier: "front" } };
const namespaceY = { matchLabels: { ns: "y" } };

/** Policies are of the namespace x. */
const scenarios: readonly Scenario[] = [
  { name: "[POL-1] default deny of ingress", policies: () => [{ podSelector: {} }] },
  {
    name: "[POL-1] default deny in both directions, with names of ports and namespaces let in",
    policies: () => [
      { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
      {
        podSelector: { matchLabels: { app: "a" } },
        ingress: [
          { from: [{ namespaceSelector: namespaceY }], ports: [{ port: "web", protocol: "TCP" }] },
        ],
        policyTypes: ["Ingress"],
      },
      {
        podSelector: { matchLabels: { app: "b" } },
        egress: [
          {
            to: [{ namespaceSelector: namespaceY, podSelector: front }],
            ports: [{ port: "alt", protocol: "TCP" }],
          },
        ],
        policyTypes: ["Egress"],
      },
    ],
  },
  {
    name: "[POL-1] a range of ports, and a protocol",
    policies: () => [
      {
        podSelector: { matchLabels: { tier: "back" } },
        ingress: [
          {
            from: [{ podSelector: front }],
            ports: [{ port: 8081, endPort: 9000, protocol: "TCP" }],
          },
          { ports: [{ port: 8080, protocol: "UDP" }] },
        ],
        policyTypes: ["Ingress"],
      },
    ],
  },
  {
    name: "[POL-1] a block of one family says nothing about the other",
    policies: ([, b]) => [
      {
        podSelector: {},
        ingress: [
          {
            from: [
              { ipBlock: { cidr: "10.244.0.0/16", except: [`${b && addressOf(b, "IPv4")}/32`] } },
            ],
          },
        ],
        egress: [
          { to: [{ ipBlock: { cidr: "fd00:10:244::/48" } }] },
          { to: [{ ipBlock: { cidr: "0.0.0.0/0" } }] },
        ],
        policyTypes: ["Ingress", "Egress"],
      },
    ],
  },
  {
    name: "[POL-2] an administrator's tier before, and a baseline after",
    policies: () => [
      { podSelector: { matchLabels: { app: "a" } }, ingress: [{}], policyTypes: ["Ingress"] },
    ],
    clusterPolicies: [
      {
        tier: "Admin",
        priority: 10,
        subject: { namespaces: { matchLabels: { ns: "x" } } },
        ingress: [
          {
            action: "Pass",
            from: [{ pods: { namespaceSelector: namespaceY, podSelector: front } }],
          },
          {
            action: "Deny",
            from: [{ namespaces: namespaceY }],
            protocols: [{ tcp: { destinationPort: { number: 8080 } } }],
          },
        ],
        egress: [
          {
            action: "Accept",
            to: [{ networks: ["10.244.0.0/16"] }],
            protocols: [{ udp: { destinationPort: { range: { start: 8000, end: 8080 } } } }],
          },
        ],
      },
      {
        tier: "Baseline",
        priority: 5,
        subject: { pods: { podSelector: {} } },
        ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { ns: "x" } } }] }],
      },
    ],
  },
];

describe("policies on two nodes", () => {
  let cluster: DisposableCluster;
  let pods: readonly ServedPod[];

  before(async () => {
    cluster = await disposableCluster({ nodes: 2, dns: false });
    await cluster.up();
    pods = await startPods(cluster);
  });
  after(async () => cluster?.[Symbol.asyncDispose]());

  for (const scenario of scenarios) {
    test(scenario.name, async () => {
      const { policies, clusterPolicies } = objectsOf(scenario, pods);
      const oracle: OracleCluster = { namespaces, nodes: [], pods, policies, clusterPolicies };
      await apply(cluster, [...policies, ...clusterPolicies]);
      const rows = allRows(pods);
      for (const family of families) {
        assert.ok(rows.filter((row) => row.family === family).length >= 60);
      }
      const expected = rows.map((row) => `${rowText(row)}: ${isRowAllowed(oracle, row)}`);
      const verdicts = new Set(rows.map((row) => isRowAllowed(oracle, row)));
      assert.equal(verdicts.size, 2, "the scenario allows something and denies something");
      let found: readonly string[] = [];
      for (let attempt = 0; attempt < 20; attempt++) {
        const answers = await tryRows(cluster, rows);
        found = rows.map((row, index) => `${rowText(row)}: ${answers[index]}`);
        if (found.join() === expected.join()) return;
      }
      assert.deepEqual(found, expected);
    });
  }
});

function objectsOf(scenario: Scenario, pods: readonly ServedPod[]) {
  const policies = scenario.policies(pods).map((spec, index) => ({
    apiVersion: "networking.k8s.io/v1" as const,
    kind: "NetworkPolicy" as const,
    metadata: { namespace: "x", name: `p${index}` },
    spec: { policyTypes: ["Ingress" as const], ...spec },
  }));
  const clusterPolicies = (scenario.clusterPolicies ?? []).map((spec, index) => ({
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name: `c${index}` },
    spec,
  }));
  return { policies, clusterPolicies };
}

/** These and no others. */
async function apply(
  cluster: DisposableCluster,
  items: Parameters<typeof applyAll>[1],
): Promise<void> {
  const { kubectl } = cluster;
  await kubectl.run("delete", "networkpolicies", "--all", "-n", "x");
  await kubectl.run("delete", "clusternetworkpolicies", "--all");
  await applyAll(cluster, items);
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { NetworkPolicySpec } from "../../../api/types/networking.ts";
import { readNetworkPolicy } from "../../../node/policy/policy.ts";
import { portsOf } from "./cells.ts";
import { planWitnesses } from "./witnesses.ts";

function policyOf(spec: NetworkPolicySpec) {
  return readNetworkPolicy({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "shop", name: "p" },
    spec,
  });
}

const names = { namespace: "shop", spare: "spare" };

function placesOf(spec: NetworkPolicySpec) {
  const { witnesses, untried, namespaces } = planWitnesses([policyOf(spec)], names);
  const places = witnesses.map(({ namespace, labels }) => `${namespace} ${JSON.stringify(labels)}`);
  return { places, untried, namespaces: [...namespaces] };
}

test("[POL-7] every selector of a policy gets a pod that it selects, beside two that none does", () => {
  const { places, namespaces, untried } = placesOf({
    podSelector: { matchLabels: { app: "db" } },
    policyTypes: ["Ingress"],
    ingress: [
      { from: [{ podSelector: { matchLabels: { app: "web" } } }] },
      {
        from: [
          {
            namespaceSelector: { matchLabels: { team: "a" } },
            podSelector: {
              matchExpressions: [{ key: "tier", operator: "In", values: ["x", "y"] }],
            },
          },
          { namespaceSelector: {} },
        ],
      },
    ],
  });
  assert.deepEqual(places, [
    "shop {}",
    "spare {}",
    'shop {"app":"db"}',
    'shop {"app":"web"}',
    'spare-1 {"tier":"x"}',
  ]);
  assert.deepEqual(namespaces, [
    ["spare", {}],
    ["spare-1", { team: "a" }],
  ]);
  assert.deepEqual(untried, []);
});

test("[POL-7] what cannot be tried with pods of a check is told", () => {
  const name = { matchLabels: { "kubernetes.io/metadata.name": "other" } };
  const { untried } = placesOf({
    podSelector: {
      matchExpressions: [
        { key: "a", operator: "Exists" },
        { key: "a", operator: "DoesNotExist" },
      ],
    },
    policyTypes: ["Ingress"],
    ingress: [{ from: [{ namespaceSelector: name }, { ipBlock: { cidr: "192.0.2.0/24" } }] }],
  });
  assert.equal(untried.length, 3);
  assert.match(
    untried.join("\n"),
    /no labels can match.*\n.*namespace other.*\n.*192\.0\.2\.0\/24/,
  );
});

test("[POL-7] a namespace selected by its own name is the checked one, without another", () => {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "shop" } };
  const { places, untried } = placesOf({
    podSelector: {},
    policyTypes: ["Egress"],
    egress: [{ to: [{ namespaceSelector, podSelector: { matchLabels: { app: "x" } } }] }],
  });
  assert.deepEqual(places, ["shop {}", "spare {}", 'shop {"app":"x"}']);
  assert.deepEqual(untried, []);
});

test("[POL-7] ports are tried where rules begin and end, by name, and where there is none", () => {
  const policies = [
    policyOf({
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [
        {
          ports: [
            { port: 80 },
            { protocol: "UDP", port: 5000, endPort: 6000 },
            { port: "web" },
            { protocol: "SCTP", port: 7 },
          ],
        },
      ],
    }),
  ];
  const plan = planWitnesses(policies, names);
  assert.deepEqual(plan.ports, [{ name: "web", protocol: "tcp", port: 18_000 }]);
  const tried = portsOf(policies, plan).map(({ protocol, port }) => `${protocol} ${port}`);
  assert.deepEqual(tried.toSorted(), [
    "tcp 18000",
    "tcp 80",
    "tcp 9",
    "udp 5000",
    "udp 6000",
    "udp 9",
  ]);
});

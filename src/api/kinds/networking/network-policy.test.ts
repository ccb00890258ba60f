import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../fields/field-error-text.ts";
import type { NetworkPolicy } from "../../types/networking.ts";
import { kindOf } from "../kinds.ts";

/** The rules of the kind together with the facts of its table. */
const networkPolicy = kindOf("networking.k8s.io", "NetworkPolicy") ?? assert.fail();

type Spec = NetworkPolicy["spec"];

function policy(spec: Spec): NetworkPolicy {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "default", name: "p" },
    spec,
  };
}

function errorsOf(spec: Spec): readonly string[] {
  const object = policy(structuredClone(spec));
  networkPolicy.default?.(object);
  const errors = networkPolicy.validate?.(object, {} as never) ?? [];
  return errors.map(fieldErrorText);
}

function defaulted(spec: Spec): Spec {
  const object = policy(spec);
  networkPolicy.default?.(object);
  return object.spec;
}

test("[POL-1] a policy that names no types is one of ingress, and of egress if it has such rules", () => {
  assert.deepEqual(defaulted({}).policyTypes, ["Ingress"]);
  assert.deepEqual(defaulted({ egress: [{}] }).policyTypes, ["Ingress", "Egress"]);
  assert.deepEqual(defaulted({ policyTypes: ["Egress"] }).policyTypes, ["Egress"]);
  assert.deepEqual(defaulted({ ingress: [{ ports: [{ port: 80 }] }] }).ingress, [
    { ports: [{ port: 80, protocol: "TCP" }] },
  ]);
});

const from = (...peers: NonNullable<NonNullable<Spec["ingress"]>[number]["from"]>): Spec => ({
  ingress: [{ from: peers }],
});
const ports = (...some: NonNullable<NonNullable<Spec["egress"]>[number]["ports"]>): Spec => ({
  egress: [{ ports: some }],
});

/** Error messages of Kubernetes 1.36. */
const refusals: readonly (readonly [string, Spec, readonly string[]])[] = [
  [
    "a third type",
    { policyTypes: ["Ingress", "Egress", "Ingress"] },
    [
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ],
  ],
  [
    "an unknown type",
    { policyTypes: ["Foo" as "Ingress"] },
    ['spec.policyTypes[0]: Unsupported value: "Foo": supported values: "Ingress", "Egress"'],
  ],
  ["no peer", from({}), ["spec.ingress[0].from[0]: Required value: must specify a peer"]],
  [
    "a block beside a selector",
    from({ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }),
    ["spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer"],
  ],
  [
    "a block without a prefix",
    from({ ipBlock: { cidr: "" } }),
    ["spec.ingress[0].from[0].ipBlock.cidr: Required value"],
  ],
  [
    "a prefix that is none",
    from({ ipBlock: { cidr: "10.0.0.0" } }),
    [
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  [
    "an exception outside of its block, of the other family or as large as it",
    from({ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/9", "fd00::/64", "10.0.0.0/8"] } }),
    ["11.0.0.0/9", "fd00::/64", "10.0.0.0/8"].map(
      (text, at) =>
        `spec.ingress[0].from[0].ipBlock.except[${at}]: Invalid value: "${text}": must be a strict subset of \`cidr\``,
    ),
  ],
  [
    "a range that ends before it begins",
    ports({ port: 100, endPort: 99 }),
    [
      "spec.egress[0].ports[0].endPort: Invalid value: 100: must be greater than or equal to `port`",
    ],
  ],
  [
    "an end without a beginning, or after a name",
    ports({ endPort: 80 }, { port: "http", endPort: 80 }),
    [
      "spec.egress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is not specified",
      "spec.egress[0].ports[1].endPort: Invalid value: 80: may not be specified when `port` is non-numeric",
    ],
  ],
  [
    "a port out of range, and another protocol",
    ports({ port: 70_000, protocol: "ICMP" as "TCP" }),
    [
      'spec.egress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
      "spec.egress[0].ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ],
  ],
];

for (const [name, spec, expected] of refusals) {
  test(`[POL-1] ${name} is refused in Kubernetes' words`, () => {
    assert.deepEqual(errorsOf(spec), expected);
  });
}

test("[POL-1] blocks of either family with exceptions, ranges and names are taken", () => {
  const blocks = from(
    { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
    { ipBlock: { cidr: "fd00::/48", except: ["fd00::1/128"] } },
    { podSelector: { matchLabels: { app: "web" } }, namespaceSelector: {} },
  );
  assert.deepEqual(errorsOf({ ...blocks, podSelector: {} }), []);
  assert.deepEqual(errorsOf(ports({ port: "http" }, { port: 1, endPort: 65_535 }, {})), []);
});

test("[POL-1] the table has the selector of the pods that it is about", () => {
  const rows = networkPolicy.table?.rows(
    policy({ podSelector: { matchLabels: { app: "web" } } }),
    new Date(0),
  );
  assert.equal(rows?.[0]?.[1], "app=web");
  assert.equal(
    networkPolicy.table?.rows(policy({ podSelector: {} }), new Date(0))[0]?.[1],
    "<none>",
  );
});

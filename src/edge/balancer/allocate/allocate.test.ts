import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Service } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import { RangeSet } from "../../../base/net/range-set.ts";
import type { AddressPoolSpec } from "../pool.ts";
import { allocate } from "./allocate.ts";
import { isOurs, readClaim } from "./claim.ts";
import { readPool } from "./read-pool.ts";

const lan = { addresses: ["192.0.2.10-192.0.2.12", "2001:db8::10/126"] };

function pool(spec: AddressPoolSpec, name = "lan") {
  return readPool({
    apiVersion: "tandem.internal/v1",
    kind: "AddressPool",
    metadata: { name },
    spec,
  });
}

function service(
  name: string,
  given: {
    spec?: Service["spec"];
    ips?: string[];
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
  } = {},
): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      namespace: "default",
      name,
      annotations: given.annotations ?? {},
      labels: given.labels ?? {},
    },
    spec: {
      type: "LoadBalancer" as const,
      ipFamilies: ["IPv4", "IPv6"] as ("IPv4" | "IPv6")[],
      ports: [{ port: 80 }],
      ...given.spec,
    },
    status: { loadBalancer: { ingress: (given.ips ?? []).map((ip) => ({ ip })) } },
  };
}

function allocated(
  services: readonly Service[],
  pools = [pool(lan)],
  reserved = RangeSet.empty,
): Record<string, string[]> {
  const claims = services.map((each) => readClaim(each, { team: "a" }));
  const result = allocate(claims, { pools, reserved });
  return Object.fromEntries(
    [...result].map(([key, { addresses, problems }]) => [
      key.replace("default/", ""),
      [...addresses.map(String), ...problems.map(({ message }) => message)],
    ]),
  );
}

const v4 = { ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[] };

const cases: [
  what: string,
  given: () => Record<string, string[]>,
  expected: Record<string, string[]>,
][] = [
  [
    "an address of each family",
    () => allocated([service("a")]),
    { a: ["192.0.2.10", "2001:db8::10"] },
  ],
  [
    "the first family first",
    () =>
      allocated([service("a", { spec: { ipFamilies: ["IPv6", "IPv4"] as ("IPv4" | "IPv6")[] } })]),
    { a: ["2001:db8::10", "192.0.2.10"] },
  ],
  [
    "endpointFamily before ipFamilies",
    () => allocated([service("a", { spec: { ...v4, endpointFamily: "ipv6" } })]),
    { a: ["2001:db8::10"] },
  ],
  [
    "ipFamilies before an endpointFamily that only follows them",
    () =>
      allocated([
        service("a", {
          spec: { ...v4, endpointFamily: "ipv4" },
          annotations: { "tandem.internal/endpoint-family-from": "ipFamilies" },
        }),
      ]),
    { a: ["192.0.2.10"] },
  ],
  [
    "no complaint about a family that nobody asked for and no pool has",
    () =>
      allocated(
        [service("a", { spec: { ...v4, endpointFamily: "dual-stack" } })],
        [pool({ addresses: ["192.0.2.10/32"] })],
      ),
    { a: ["192.0.2.10"] },
  ],
  [
    "what is held stays, whoever comes before",
    () => allocated([service("a", { spec: v4 }), service("b", { spec: v4, ips: ["192.0.2.10"] })]),
    { a: ["192.0.2.11"], b: ["192.0.2.10"] },
  ],
  [
    "what is held stays, even if an older one requests it",
    () =>
      allocated([
        service("a", { spec: { ...v4, loadBalancerIP: "192.0.2.11" }, ips: ["192.0.2.10"] }),
        service("b", { spec: v4, ips: ["192.0.2.11"] }),
      ]),
    { a: ["Cannot assign 192.0.2.11: default/b has it"], b: ["192.0.2.11"] },
  ],
  [
    "what two hold is the older one's",
    () =>
      allocated([
        service("a", { spec: v4, ips: ["192.0.2.12"] }),
        service("b", { spec: v4, ips: ["192.0.2.12"] }),
      ]),
    { a: ["192.0.2.12"], b: ["192.0.2.10"] },
  ],
  [
    "requests, also from a pool that gives nothing by itself",
    () =>
      allocated(
        [
          service("a", {
            annotations: { "tandem.internal/load-balancer-ips": "192.0.2.12, 2001:db8:0::13" },
          }),
          service("b"),
        ],
        [pool({ ...lan, autoAssign: false })],
      ),
    {
      a: ["192.0.2.12", "2001:db8::13"],
      b: [
        "Cannot assign an IPv4 address: no pool has any for the service",
        "Cannot assign an IPv6 address: no pool has any for the service",
      ],
    },
  ],
  [
    "requests that cannot be granted",
    () =>
      allocated([
        service("a", { spec: { ...v4, loadBalancerIP: "198.51.100.1" } }),
        service("b", { spec: { ...v4, loadBalancerIP: "2001:db8::10" } }),
        service("c", { spec: { ...v4, loadBalancerIP: "here" } }),
      ]),
    {
      a: ["Cannot assign 198.51.100.1: no pool that the service may use has it"],
      b: ["192.0.2.10", "Cannot assign 2001:db8::10: the service wants no IPv6 address"],
      c: ["192.0.2.11", 'Cannot assign spec.loadBalancerIP "here": it is not an address'],
    },
  ],
  [
    "nothing that is a node's",
    () =>
      allocated(
        [service("a", { spec: v4 })],
        [pool(lan)],
        RangeSet.of([Address.parse("192.0.2.10")]),
      ),
    { a: ["192.0.2.11"] },
  ],
  [
    "nothing when all is taken",
    () =>
      allocated(
        [service("a", { spec: v4 }), service("b", { spec: v4 })],
        [pool({ addresses: ["192.0.2.1/32"] })],
      ),
    { a: ["192.0.2.1"], b: ["Cannot assign an IPv4 address: none is free in lan"] },
  ],
  [
    "a shared address, but no port twice",
    () => {
      const annotations = { "tandem.internal/shared-address": "key" };
      const at = (name: string, port: number) =>
        service(name, { spec: { ...v4, ports: [{ port }] }, annotations });
      return allocated([at("a", 80), at("b", 443), at("c", 80), service("d", { spec: v4 })]);
    },
    { a: ["192.0.2.10"], b: ["192.0.2.10"], c: ["192.0.2.11"], d: ["192.0.2.12"] },
  ],
  [
    "pools that admit the service",
    () => {
      const selector = { matchLabels: { tier: "front" } };
      const front = pool({ addresses: ["198.51.100.1/32"], serviceSelector: selector }, "front");
      const other = pool(
        { addresses: ["203.0.113.1/32"], namespaceSelector: { matchLabels: { team: "b" } } },
        "other",
      );
      return allocated(
        [service("a", { spec: v4, labels: { tier: "front" } }), service("b", { spec: v4 })],
        [other, front, pool(lan)],
      );
    },
    { a: ["198.51.100.1"], b: ["192.0.2.10"] },
  ],
];
for (const [what, given, expected] of cases) {
  test(`[ING-2] services get ${what}`, () => assert.deepEqual(given(), expected));
}

test("a pool says what of it cannot be used", () => {
  assert.deepEqual(pool({ addresses: ["192.0.2.9-192.0.2.1", "x", "192.0.2.0/30"] }).problems, [
    'Cannot use spec.addresses[0] "192.0.2.9-192.0.2.1": Cannot make range 192.0.2.9-192.0.2.1: it ends before it starts',
    'Cannot use spec.addresses[1] "x": Cannot parse prefix "x": it has no "/"',
  ]);
});

test("only services of our class are ours", () => {
  assert.equal(isOurs(service("a")), true);
  assert.equal(
    isOurs(service("a", { spec: { loadBalancerClass: "tandem.internal/balancer" } })),
    true,
  );
  assert.equal(isOurs(service("a", { spec: { loadBalancerClass: "example.org/cloud" } })), false);
  assert.equal(isOurs(service("a", { spec: { type: "NodePort" as const } })), false);
});

test("[ING-2] no address is given twice, and a second look changes nothing", () => {
  const one = fc.record({
    families: fc.constantFrom(["IPv4"], ["IPv6"], ["IPv4", "IPv6"], ["IPv6", "IPv4"]),
    held: fc.constantFrom<string[]>(
      [],
      ["192.0.2.10"],
      ["192.0.2.11", "2001:db8::11"],
      ["192.0.2.99"],
    ),
    wish: fc.constantFrom(undefined, "192.0.2.12", "2001:db8::12"),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 8 }), (list) => {
      const make = (held: (n: number) => string[]) =>
        list.map(({ families, wish }, n) =>
          service(`s${n}`, {
            spec: {
              ipFamilies: [...families],
              ...defined({ loadBalancerIP: wish }),
            },
            ips: held(n),
          }),
        );
      const first = allocated(make((n) => list[n]?.held ?? []));
      const isAddress = (text: string) => Address.tryParse(text) !== undefined;
      const all = Object.values(first).flat().filter(isAddress);
      assert.equal(new Set(all).size, all.length);
      const again = allocated(make((n) => (first[`s${n}`] ?? []).filter(isAddress)));
      assert.deepEqual(again, first);
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf } from "../../../api/client/objects.ts";
import type { Service } from "../../../api/types/core.ts";
import { type Family, families, otherFamily } from "../../../base/net/family.ts";
import { anyFamily } from "../../../base/net/testing/arbitraries.ts";
import { anyPlan, clusterOf, without } from "../testing/clusters.ts";
import { backendsOf } from "./backends.ts";
import { type ClusterObjects, clusterFamilies, slicesByService } from "./cluster.ts";
import { firstDifference, type Ways, waysOf } from "./ways.ts";

const waysTo = (service: Service, cluster: ClusterObjects): Ways => {
  const backends = backendsOf(slicesByService(cluster.slices).get(keyOf(service)) ?? []);
  return waysOf(service, { cluster, backends, clusterHas: clusterFamilies(cluster) });
};
/** The title of the first hop that differs, for the first service. */
const differing = (cluster: ClusterObjects): string | undefined => {
  const [service] = cluster.services;
  if (service === undefined) return undefined;
  const ways = waysTo(service, cluster);
  const at = firstDifference(ways);
  return at === undefined ? undefined : ways.IPv4[at]?.title;
};
const web = clusterOf({
  nodes: 2,
  pods: [
    { node: 0, isReady: true },
    { node: 1, isReady: true },
  ],
  services: [{ pods: [0, 1], type: "LoadBalancer" }],
});

test("a cluster that is alike in both families has ways that do not differ", () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const cluster = clusterOf(plan);
      for (const service of cluster.services) {
        assert.equal(firstDifference(waysTo(service, cluster)), undefined);
      }
    }),
  );
});

test("both families have the same hops in the same order, whatever is missing", () => {
  const anyLoss = fc.constantFrom("node ranges", "cluster IPs", "load balancers", "endpoints");
  fc.assert(
    fc.property(anyPlan, anyFamily, anyLoss, (plan, family, what) => {
      const cluster = without(clusterOf(plan), family, what);
      for (const service of cluster.services) {
        const ways = waysTo(service, cluster);
        const titles = families.map((one) => ways[one].map(({ title }) => title));
        assert.deepEqual(titles[0], titles[1]);
      }
    }),
  );
});

const losses: [what: Parameters<typeof without>[2], hop: string][] = [
  ["load balancers", "load balancer"],
  ["cluster IPs", "service shop/service-0"],
  ["endpoints", "ready endpoints"],
  ["node ranges", "nodes"],
];
for (const [what, hop] of losses) {
  for (const family of families) {
    test(`the first hop that differs is "${hop}" when ${family} loses its ${what}`, () => {
      const cluster = without(web, family, what);
      assert.equal(differing(cluster), hop);
      const [service = assert.fail()] = cluster.services;
      const ways = waysTo(service, cluster);
      const at = firstDifference(ways) ?? -1;
      assert.equal(ways[family][at]?.lamp.state, "bad");
      assert.equal(ways[otherFamily(family)][at]?.lamp.state, "ok");
    });
  }
}

test("as many ready endpoints in both families differ all the same if they are other pods", () => {
  const drop = (family: Family, name: string): ClusterObjects["slices"] =>
    web.slices.map((slice) =>
      slice.addressType === family
        ? {
            ...slice,
            endpoints: (slice.endpoints ?? []).filter(({ targetRef }) => targetRef?.name !== name),
          }
        : slice,
    );
  const once = { ...web, slices: drop("IPv4", "pod-0") };
  assert.equal(differing(once), "ready endpoints");
  const [slice4, slice6] = [drop("IPv4", "pod-0"), drop("IPv6", "pod-1")];
  const slices = [
    ...slice4.filter(({ addressType }) => addressType === "IPv4"),
    ...slice6.filter(({ addressType }) => addressType === "IPv6"),
  ];
  assert.equal(differing({ ...web, slices }), "ready endpoints");
});

test("what the user may not read is unknown, not wrong", () => {
  const [service = assert.fail()] = web.services;
  const blind = { ...web, slices: [], unread: new Set(["slices"] as const) };
  const states = waysTo(service, blind).IPv4.map(({ lamp }) => lamp.state);
  assert.deepEqual(states, ["ok", "ok", "ok", "unknown", "off"]);
});

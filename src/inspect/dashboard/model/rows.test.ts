import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { families } from "../../../base/net/family.ts";
import { anyPlan, clusterOf, nodeOf, podOf, without } from "../testing/clusters.ts";
import { noObjects } from "./cluster.ts";
import { formatRoute, parseRoute, viewNames } from "./route.ts";
import { countLamps, filterRows, rowsOf } from "./rows.ts";

const web = clusterOf({
  nodes: 2,
  pods: [
    { node: 0, isReady: true },
    { node: 1, isReady: false },
  ],
  services: [{ pods: [0, 1], type: "ClusterIP" }],
});

test("lamps of both families count every object once", () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const rows = rowsOf.pods(clusterOf(plan));
      const counts = countLamps(rows);
      for (const family of families) {
        assert.equal(
          [...counts[family].values()].reduce((sum, count) => sum + count, 0),
          plan.pods.length,
        );
      }
    }),
  );
});

test("a pod without an address of a family that the cluster has is wrong in that family alone", () => {
  const rows = rowsOf.pods(without(web, "IPv6", "pod addresses"));
  assert.deepEqual(
    rows.map(({ lamps }) => [lamps.IPv4.state, lamps.IPv6.state]),
    [
      ["ok", "bad"],
      ["bad", "bad"],
    ],
  );
});

test("a node whose proxy or announcer does not work is wrong, in the family that is hit", () => {
  const node = nodeOf(0);
  const message = "Cannot run nft: Operation not permitted";
  const conditions = [
    ...(node.status?.conditions ?? []),
    { type: "tandem.internal/ServicesIPv4Ready", status: "True" },
    { type: "tandem.internal/ServicesIPv6Ready", status: "False", message },
  ];
  const ill = { ...node, status: { ...node.status, conditions } };
  const [row] = rowsOf.nodes({ ...noObjects, nodes: [ill] });
  assert.equal(row?.lamps.IPv4.state, "ok");
  assert.deepEqual(row?.lamps.IPv6, {
    state: "bad",
    why: `services are not served: ${message}`,
  });
  const silentAnnouncers = new Set(["node-0"]);
  const rows = rowsOf.nodes({ ...noObjects, nodes: [node, nodeOf(1)], silentAnnouncers });
  assert.deepEqual(
    rows.map(({ lamps }) => families.map((family) => lamps[family].state)),
    [
      ["bad", "bad"],
      ["ok", "ok"],
    ],
  );
});

test("a family that the cluster does not have is off, not wrong", () => {
  const node = nodeOf(0);
  const pod = podOf(0, { node: 0, isReady: true });
  const cluster = {
    ...noObjects,
    nodes: [
      {
        ...node,
        spec: { podCIDRs: ["10.100.0.0/24"] },
        status: { ...node.status, addresses: node.status?.addresses?.slice(0, 1) ?? [] },
      },
    ],
    pods: [{ ...pod, status: { ...pod.status, podIPs: pod.status?.podIPs?.slice(0, 1) ?? [] } }],
  };
  for (const rows of [rowsOf.nodes(cluster), rowsOf.pods(cluster)]) {
    assert.deepEqual(
      rows.map(({ lamps }) => [lamps.IPv4.state, lamps.IPv6.state]),
      [["ok", "off"]],
    );
  }
});

test("a service with fewer ready endpoints in one family than in the other is uneven there", () => {
  const all = clusterOf({
    nodes: 1,
    pods: [
      { node: 0, isReady: true },
      { node: 0, isReady: true },
    ],
    services: [{ pods: [0, 1], type: "ClusterIP" }],
  });
  const slices = all.slices.map((slice) =>
    slice.addressType === "IPv6" ? { ...slice, endpoints: slice.endpoints?.slice(1) ?? [] } : slice,
  );
  const [row] = rowsOf.services({ ...all, slices });
  assert.deepEqual(row?.lamps.IPv4, { state: "ok", why: "2 ready endpoints" });
  assert.deepEqual(row?.lamps.IPv6, { state: "uneven", why: "1 ready endpoint, of 2" });
});

test("rows are found by words of names and addresses, and by states of one family", () => {
  const rows = rowsOf.pods(web);
  const found = (search: string) =>
    filterRows(rows, { search, family: undefined, states: [] }).map(({ key }) => key);
  assert.deepEqual(found("FD00:100::2"), ["shop/pod-0"]);
  assert.deepEqual(found("shop node-1"), ["shop/pod-1"]);
  const bad = filterRows(rows, { search: "", family: "IPv6", states: ["bad"] });
  assert.deepEqual(
    bad.map(({ key }) => key),
    ["shop/pod-1"],
  );
});

test("every route is found again in its address", () => {
  const anyRoute = fc.record({
    view: fc.constantFrom(...viewNames),
    parameters: fc.dictionary(
      fc.constantFrom("q", "service", "kind"),
      fc.string({ minLength: 1 }).filter((text) => text.isWellFormed()),
    ),
  });
  fc.assert(
    fc.property(anyRoute, (route) => {
      assert.deepEqual(
        JSON.parse(JSON.stringify(parseRoute(formatRoute(route)))),
        JSON.parse(JSON.stringify(route)),
      );
    }),
  );
  assert.equal(parseRoute("#/nowhere").view, "overview");
});

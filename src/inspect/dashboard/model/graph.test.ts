import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf } from "../../../api/client/objects.ts";
import { anyPlan, clusterOf, without } from "../testing/clusters.ts";
import { draw } from "./drawing.ts";
import { columns, graphOf } from "./graph.ts";
import { dotOf, svgOf } from "./text-pictures.ts";

const most = 100;

test("every edge leads from a vertex to one in a later column, and no vertex is there twice", () => {
  fc.assert(
    fc.property(anyPlan, fc.boolean(), (plan, isOne) => {
      const cluster = clusterOf(plan);
      const [first = assert.fail()] = cluster.services;
      const { vertices, edges } = graphOf(cluster, {
        most,
        ...(isOne && { service: keyOf(first) }),
      });
      const columnOf = new Map(vertices.map(({ id, column }) => [id, columns.indexOf(column)]));
      assert.equal(columnOf.size, vertices.length);
      for (const { from, to } of edges) {
        assert.ok((columnOf.get(from) ?? 99) < (columnOf.get(to) ?? -1), `${from} → ${to}`);
      }
    }),
  );
});

test("the map does not depend on the order of objects", () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const cluster = clusterOf(plan);
      const turned = {
        ...cluster,
        nodes: cluster.nodes.toReversed(),
        services: cluster.services.toReversed(),
        slices: cluster.slices.toReversed(),
      };
      const sorted = (objects: typeof cluster) =>
        graphOf(objects, { most })
          .vertices.filter(({ column }) => column !== "entry")
          .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      assert.deepEqual(sorted(turned), sorted(cluster));
    }),
  );
});

test("every chosen service is drawn or counted as left out", () => {
  fc.assert(
    fc.property(anyPlan, fc.integer({ min: 1, max: 5 }), (plan, limit) => {
      const graph = graphOf(clusterOf(plan), { most: limit });
      const drawn = graph.vertices.filter(({ column }) => column === "service").length;
      assert.equal(drawn + graph.leftOut, plan.services.length);
    }),
  );
});

test("no two boxes of a picture overlap, and all are inside of it", () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const { boxes, width, height } = draw(graphOf(clusterOf(plan), { most }));
      const places = new Set(boxes.map(({ x, y }) => `${x} ${y}`));
      assert.equal(places.size, boxes.length);
      for (const { x, y } of boxes) assert.ok(x >= 0 && y >= 0 && x < width && y < height);
    }),
  );
});

const lost = without(
  clusterOf({
    nodes: 1,
    pods: [{ node: 0, isReady: true }],
    services: [{ pods: [0], type: "NodePort" }],
  }),
  "IPv6",
  "endpoints",
);

test("a service that has lost the endpoints of one family is marked in that family alone, with its pods", () => {
  const { vertices } = graphOf(lost, { most });
  for (const column of ["service", "pods"]) {
    const { lamps } = vertices.find((vertex) => vertex.column === column) ?? assert.fail();
    assert.deepEqual([lamps.IPv4.state, lamps.IPv6.state], ["ok", "bad"]);
  }
});

test("addresses that are no pods' are not missed in the other family", () => {
  const slices = clusterOf({
    nodes: 1,
    pods: [{ node: 0, isReady: true }],
    services: [{ pods: [0], type: "ClusterIP" }],
  }).slices.map((slice) => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map(({ addresses }) => ({ addresses })),
  }));
  const cluster = { ...lost, slices };
  for (const service of [undefined, "shop/service-0"]) {
    const { vertices } = graphOf(cluster, { most, service });
    const states = vertices
      .filter(({ column }) => column === "pods")
      .map(({ label, lamps }) => [label, lamps.IPv4.state, lamps.IPv6.state]);
    assert.deepEqual(
      states,
      service === undefined
        ? [["2 addresses", "ok", "ok"]]
        : [
            ["10.100.0.2", "ok", "off"],
            ["fd00:100::2", "off", "ok"],
          ],
    );
  }
});

test("pictures for other programs have the lamps as signs, and names cannot break out of them", () => {
  const [service = assert.fail()] = lost.services;
  const name = '<script>"&';
  const renamed = { ...service, metadata: { ...service.metadata, name } };
  const graph = graphOf({ ...lost, services: [renamed] }, { most });
  assert.match(svgOf(graph), /IPv4 ✖/);
  assert.doesNotMatch(svgOf(graph), /<script>/);
  assert.match(dotOf(graph), /"service shop\/<script>\\"&" \[label=/);
});

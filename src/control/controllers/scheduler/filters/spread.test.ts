import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node } from "../../../../api/types/core.ts";
import { nodeOf, podOf } from "../../workloads/testing/objects.ts";
import { app, choose, type On, zone } from "../testing/choose.ts";

describe("topology spread", () => {
  const constraint = {
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule" as const,
    labelSelector: { matchLabels: { app: "web" } },
  };
  const web = (name: string, more: object = {}) =>
    podOf(name, {
      ...app("web"),
      spec: { topologySpreadConstraints: [{ ...constraint, ...more }] },
    });
  const nodes = [nodeOf("a", zone("y")), nodeOf("b", zone("z")), nodeOf("c")];

  test("a pod goes to the domain with fewer matching pods", () => {
    assert.equal(choose(web("p"), nodes, [[web("q"), "a"]]), "b");
  });
  test("nodes without the label, and domains that are full", () => {
    const message =
      "0/3 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label), 1 node(s) were unschedulable.";
    const closed = nodes.with(1, nodeOf("b", { ...zone("z"), spec: { unschedulable: true } }));
    assert.equal(choose(web("p"), closed, [[web("q"), "a"]]), message);
  });
  test("pods that end count no more", () => {
    const ending = web("q");
    ending.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    const [a] = nodes;
    const closed = [a as Node, nodeOf("b", { ...zone("z"), spec: { unschedulable: true } })];
    assert.equal(choose(web("p"), closed, [[ending, "a"]]), "a");
  });
  test("too few domains count as empty ones", () => {
    const one = nodes.slice(0, 1);
    assert.equal(choose(web("p", { minDomains: 2 }), one, []), "a");
    assert.match(choose(web("p", { minDomains: 2 }), one, [[web("q"), "a"]]), /^0\/1 nodes/);
  });
  test("nodes that the pod's selector rules out do not count, unless it says so", () => {
    const selective = (more: object) => {
      const pod = web("p", more);
      pod.spec.nodeSelector = { zone: "y" };
      return pod;
    };
    const placed: On[] = [[web("q"), "a"]];
    assert.equal(choose(selective({}), nodes, placed), "a");
    assert.match(choose(selective({ nodeAffinityPolicy: "Ignore" }), nodes, placed), /^0\/3/);
  });
  test("a wish is followed as far as possible", () => {
    const wish = { whenUnsatisfiable: "ScheduleAnyway" as const };
    assert.equal(choose(web("p", wish), nodes, [[web("q"), "a"]]), "b");
    const closed = nodes.with(1, nodeOf("b", { ...zone("z"), spec: { unschedulable: true } }));
    assert.equal(choose(web("p", wish), closed.slice(0, 2), [[web("q"), "a"]]), "a");
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, NodeSpec } from "../../api/types/core.ts";
import { chooseNodes } from "./nodes.ts";

function node(
  name: string,
  { spec = {}, ready = "True" }: { spec?: NodeSpec; ready?: string } = {},
): Node {
  const conditions = [{ type: "Ready", status: ready }];
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec, status: { conditions } };
}

const namesOf = (nodes: readonly Node[]) => nodes.map(({ metadata }) => metadata.name);

test("two nodes are checked that are ready and take pods", () => {
  const all = [
    node("closed", { spec: { unschedulable: true } }),
    node("control-plane", { spec: { taints: [{ key: "control-plane", effect: "NoSchedule" }] } }),
    node("lost", { ready: "Unknown" }),
    node("a", { spec: { taints: [{ key: "busy", effect: "PreferNoSchedule" }] } }),
    node("b"),
    node("c"),
  ];
  assert.deepEqual(namesOf(chooseNodes(all, undefined)), ["a", "b"]);
  assert.deepEqual(namesOf(chooseNodes(all, ["c", "closed"])), ["c", "closed"]);
});

test("nodes that are not there are refused, and so is having none", () => {
  assert.throws(() => chooseNodes([node("a")], ["b"]), /Cannot use nodes=b: there is a$/);
  assert.throws(
    () => chooseNodes([node("a", { ready: "False" })], undefined),
    /Cannot check: none of 1 nodes is ready and takes pods/,
  );
});

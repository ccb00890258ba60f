import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pod } from "../../../api/types/core.ts";
import { nodeOf, podOf } from "../workloads/testing/objects.ts";
import { fitsNode } from "./choose-node.ts";
import { Nominations } from "./nominations.ts";
import { needsOf } from "./pod-needs.ts";
import { type Budget, planPreemption } from "./preemption.ts";
import { type On, stateOf } from "./testing/choose.ts";

function pod(name: string, priority: number, cpu = "2"): Pod {
  const made = podOf(name, { requests: { cpu } });
  return { ...made, spec: { ...made.spec, priority } };
}

/** Formats the plan: `a: x y`, the node and those that have to go. */
function plan(incoming: Pod, placed: readonly On[], budgets: readonly Budget[] = []): string {
  const nodes = [...new Set(placed.map(([, node]) => node))].map((name) => nodeOf(name));
  const state = stateOf(nodes, placed);
  const before = [...state.placed].map(({ needs, nodeName }) => `${needs.key} ${nodeName}`);
  const needs = needsOf(incoming);
  const found = planPreemption(needs, state, {
    nodes: state.nodes,
    budgets,
    fits: (node) => fitsNode(needs, node, state),
  });
  const after = [...state.placed].map(({ needs: each, nodeName }) => `${each.key} ${nodeName}`);
  assert.deepEqual(after.toSorted(), before.toSorted(), "the state is as before");
  if (found === undefined) return "none";
  return `${found.node}: ${found.victims.map(({ key }) => key.replace("default/", "")).join(" ")}`;
}

// The nodes of these tests have four processors.
describe("[API-13] preemption", () => {
  test("takes as few as it needs, of the lowest priority", () => {
    const placed: On[] = [
      [pod("low", 1), "a"],
      [pod("lower", 0), "a"],
    ];
    assert.equal(plan(pod("new", 10), placed), "a: lower");
    assert.equal(plan(pod("new", 10, "4"), placed), "a: low lower");
    assert.equal(plan(pod("new", 1, "4"), placed), "none");
    assert.equal(plan(pod("new", 0), placed), "none");
  });

  test("chooses the node where it does the least harm", () => {
    const placed: On[] = [
      [pod("important", 5, "4"), "a"],
      [pod("plain", 1, "4"), "b"],
    ];
    assert.equal(plan(pod("new", 10), placed), "b: plain");
  });

  test("spares pods whose budget allows no disruption, if it can", () => {
    const placed: On[] = [
      [pod("kept", 0, "4"), "a"],
      [pod("other", 1, "4"), "b"],
    ];
    const budget: Budget = {
      namespace: "default",
      allowed: 0,
      covers: ({ key }) => key === "default/kept",
    };
    assert.equal(plan(pod("new", 10), placed), "a: kept");
    assert.equal(plan(pod("new", 10), placed, [budget]), "b: other");
    assert.equal(plan(pod("new", 10), placed.slice(0, 1), [budget]), "a: kept");
  });

  test("a nominated pod keeps its room from those of lower priority", () => {
    const state = stateOf([nodeOf("a")]);
    const nominations = new Nominations();
    nominations.set(needsOf(pod("first", 10, "4")), "a");
    const fits = (incoming: Pod) => {
      const needs = needsOf(incoming);
      const [node] = state.nodes;
      return nominations.during(
        needs,
        state,
        () => node !== undefined && fitsNode(needs, node, state),
      );
    };
    assert.equal(fits(pod("low", 1)), false);
    assert.equal(fits(pod("high", 11)), true);
    assert.equal(fits(pod("first", 10, "4")), true);
    assert.deepEqual([...state.placed], []);
  });
});

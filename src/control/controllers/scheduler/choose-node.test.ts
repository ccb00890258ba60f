import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FakeRandom } from "../../../base/host/random.fake.ts";
import { nodeOf, podOf } from "../workloads/testing/objects.ts";
import { chooseNode } from "./choose-node.ts";
import { needsOf } from "./pod-needs.ts";
import { stateOf } from "./testing/choose.ts";

test("whatever comes and goes, the sums of a node are those of its pods, and none is overfull", () => {
  const size = fc.integer({ min: 0, max: 3000 });
  const step = fc.record({
    name: fc.integer({ min: 0, max: 30 }),
    cpu: size,
    leaves: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer(), (steps, seed) => {
      const random = new FakeRandom(seed);
      const state = stateOf([nodeOf("a"), nodeOf("b"), nodeOf("c")]);
      for (const { name, cpu, leaves } of steps) {
        const needs = needsOf(podOf(`p${name}`, { requests: { cpu: `${cpu}m` } }));
        state.remove(needs.key);
        if (leaves) continue;
        const { node } = chooseNode(needs, state, random);
        if (node !== undefined) state.place(needs, node);
        else for (const each of state.nodes) assert(4000 - used(each.pods.values()) < cpu);
      }
      for (const { requested, pods } of state.nodes) {
        assert.equal(requested.get("cpu") ?? 0, used(pods.values()));
        assert(used(pods.values()) <= 4000);
      }
    }),
  );
  function used(pods: Iterable<ReturnType<typeof needsOf>>): number {
    return [...pods].reduce((sum, { requests }) => sum + (requests.get("cpu") ?? 0), 0);
  }
});

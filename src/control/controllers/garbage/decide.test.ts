import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { OwnerReference } from "../../../api/types/meta.ts";
import { decide, isWaiting, type OwnerState } from "./decide.ts";
import { type GraphItem, OwnerGraph } from "./owner-graph.ts";

const resource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
  verbs: [],
};

function owner(uid: string, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: "v1", kind: "ConfigMap", name: uid, uid, blockOwnerDeletion };
}

function item(uid: string, traits: Partial<GraphItem> = {}): GraphItem {
  return {
    resource,
    uid,
    name: uid,
    namespace: "default",
    version: "1",
    owners: [],
    finalizers: [],
    isDeleting: false,
    ...traits,
  };
}

function decided(
  given: GraphItem,
  states: readonly OwnerState[],
  dependents: readonly GraphItem[] = [],
) {
  const owners = new Map(given.owners.map((each, index) => [each, states[index] ?? "absent"]));
  return decide(given, { owners, dependents });
}

test("what nobody owned is left alone, and so is what somebody owns", () => {
  assert.deepEqual(decided(item("a"), []), { do: "nothing" });
  assert.deepEqual(decided(item("a", { owners: [owner("o")] }), ["solid"]), { do: "nothing" });
});

test("what has lost all owners goes, what has lost some forgets those", () => {
  const owners = [owner("o"), owner("p")];
  const own = item("a", { owners });
  assert.deepEqual(decided(own, ["absent", "absent"]), { do: "delete", policy: "Background" });
  assert.deepEqual(decided(own, ["absent", "solid"]), { do: "setOwners", owners: [owners[1]] });
  assert.deepEqual(decided(own, ["waiting", "solid"]), { do: "setOwners", owners: [owners[1]] });
  assert.deepEqual(decided(own, ["absent", "unknown"]), { do: "nothing" });
});

test("under an owner that waits, what has dependents waits too", () => {
  const own = item("a", { owners: [owner("o", true)] });
  assert.deepEqual(decided(own, ["waiting"]), { do: "delete", policy: "Background" });
  assert.deepEqual(decided(own, ["waiting"], [item("b")]), { do: "delete", policy: "Foreground" });
  const waiting = item("b", { isDeleting: true, finalizers: ["foregroundDeletion"] });
  assert.ok(isWaiting(waiting));
  assert.deepEqual(decided(own, ["waiting"], [waiting]), {
    do: "setOwners",
    owners: [owner("o", false)],
  });
});

test("what waits for its dependents goes when none of them blocks it", () => {
  const own = item("o", { isDeleting: true, finalizers: ["foregroundDeletion"] });
  const blocking = item("a", { owners: [owner("o", true)] });
  const other = item("b", { owners: [owner("o", false)] });
  assert.deepEqual(decided(own, [], [blocking, other]), { do: "wait", for: [blocking, other] });
  assert.deepEqual(decided(own, [], [other]), { do: "finish", finalizer: "foregroundDeletion" });
});

test("orphans lose their owner before it goes", () => {
  const own = item("o", { isDeleting: true, finalizers: ["orphan"] });
  assert.deepEqual(decided(own, [], [item("a", { owners: [owner("o")] })]), { do: "orphan" });
  assert.deepEqual(decided(own, []), { do: "finish", finalizer: "orphan" });
});

const step = fc.record({
  uid: fc.constantFrom("a", "b", "c", "d"),
  owners: fc.option(fc.subarray(["a", "b", "c", "d", "nobody"])),
});

test("the graph knows the dependents of owners that are there, and of those that are not", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const graph = new OwnerGraph();
      const expected = new Map<string, readonly string[]>();
      for (const { uid, owners } of steps) {
        if (owners === null) {
          graph.remove(uid);
          expected.delete(uid);
        } else {
          graph.put(item(uid, { owners: owners.map((each) => owner(each)) }));
          expected.set(uid, owners);
        }
      }
      for (const each of ["a", "b", "c", "d", "nobody"]) {
        const found = graph.dependentsOf(each).map(({ uid }) => uid);
        const dependents = [...expected].filter(([, owners]) => owners.includes(each));
        assert.deepEqual(found.toSorted(), dependents.map(([uid]) => uid).toSorted());
      }
    }),
  );
});

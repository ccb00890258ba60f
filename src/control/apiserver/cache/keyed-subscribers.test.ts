import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CacheEvent } from "./history.ts";
import { itemFromStored } from "./item.ts";
import { KeyedSubscribers } from "./keyed-subscribers.ts";

const itemOf = (node: string) =>
  itemFromStored({ namespace: node, name: "pod" }, Buffer.from('{"metadata":{}}'), { modified: 1 });
const valuesOf = ({ namespace }: { readonly namespace: string }) => namespace.split("+");

/** A change of an item from one value to another; "" is an item that is not there. */
function eventOf(before: string, after: string): CacheEvent {
  const previous = before === "" ? undefined : itemOf(before);
  const type = after === "" ? "DELETED" : before === "" ? "ADDED" : "MODIFIED";
  return { type, revision: 1, item: itemOf(after === "" ? before : after), previous };
}

test("a change is led to those who ask for a value that the item has or had, and to nobody else", () => {
  const value = fc.constantFrom("", "a", "b", "c", "a+b");
  const change = fc.tuple(value, value).filter(([before, after]) => before !== after);
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const keyed = new KeyedSubscribers<string>();
      for (const one of ["a", "b", "c", "d"]) keyed.add(one, { field: "f", value: one, valuesOf });
      const events = changes.map(([before, after]) => eventOf(before, after));
      const found = keyed.concerned(events);
      for (const one of ["a", "b", "c", "d"]) {
        const wanted = events.filter((_, index) =>
          (changes[index] ?? []).some((values) => values.split("+").includes(one)),
        );
        assert.deepEqual(found.get(one) ?? [], wanted);
      }
    }),
  );
});

test("who has left hears nothing more, and all others of the value still do", () => {
  const keyed = new KeyedSubscribers<string>();
  const key = { field: "f", value: "a", valuesOf };
  keyed.add("one", key);
  keyed.add("two", key);
  keyed.delete("one", key);
  keyed.delete("three", key);
  assert.deepEqual([...keyed.concerned([eventOf("", "a")]).keys()], ["two"]);
  assert.deepEqual([...keyed.all()], ["two"]);
  keyed.delete("two", key);
  assert.deepEqual([...keyed.all()], []);
});

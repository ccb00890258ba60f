import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedObjects } from "./shared-objects.ts";

const object = { kind: "Node", metadata: { name: "a", uid: "1", resourceVersion: "7" }, spec: {} };
const eventOf = (type: string, of: object = object) => JSON.stringify({ type, object: of });

test("events and lists that tell of the same version of an object share it", () => {
  const { read } = new SharedObjects();
  const first = read(eventOf("ADDED")) as { type: string; object: object };
  const same = read(eventOf("ADDED"));
  const other = read(eventOf("MODIFIED")) as typeof first;
  const list = read(JSON.stringify({ items: [object] })) as { items: object[] };
  assert.equal(first, same);
  assert.equal(other.type, "MODIFIED");
  assert.equal(other.object, first.object);
  assert.equal(list.items[0], first.object);
  assert.deepEqual(first.object, object);
});

test("another version is another object, and managedFields are left out", () => {
  const { read } = new SharedObjects();
  const metadata = { ...object.metadata, resourceVersion: "8", managedFields: [{ manager: "m" }] };
  const before = read(eventOf("ADDED")) as { object: typeof object };
  const after = read(eventOf("MODIFIED", { ...object, metadata })) as { object: typeof object };
  assert.notEqual(after.object, before.object);
  assert.deepEqual(after.object, {
    ...object,
    metadata: { ...object.metadata, resourceVersion: "8" },
  });
});

test("answers that are no events and no lists are their own", () => {
  const { read } = new SharedObjects();
  const text = JSON.stringify(object);
  assert.deepEqual(read(text), object);
  assert.notEqual(read(text), read(text));
  assert.equal(read("1"), 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import protobuf from "protobufjs";
import { boolean, bytes, identifier, integer, many, message, one, text } from "./wire.ts";

const inner = message({ id: one(1, integer), name: one(2, text) });
const outer = message({
  count: one(1, integer),
  isSet: one(2, boolean),
  data: one(3, bytes),
  label: one(16, text),
  child: one(4, inner),
  children: many(5, inner),
  numbers: many(300, text),
});

/** The same tables for protobufjs, an independent implementation to compare with. */
const peer = protobuf.Root.fromJSON({
  nested: {
    Inner: { fields: { id: { type: "int64", id: 1 }, name: { type: "string", id: 2 } } },
    Outer: {
      fields: {
        count: { type: "int64", id: 1 },
        isSet: { type: "bool", id: 2 },
        data: { type: "bytes", id: 3 },
        label: { type: "string", id: 16 },
        child: { type: "Inner", id: 4 },
        children: { rule: "repeated", type: "Inner", id: 5 },
        numbers: { rule: "repeated", type: "string", id: 300 },
        unknown: { type: "double", id: 7 },
      },
    },
  },
}).lookupType("Outer");

const whole = fc.nat(Number.MAX_SAFE_INTEGER);
const plain = { noNullPrototype: true } as const;
const innerValue = fc.record({ id: whole, name: fc.string({ unit: "grapheme" }) }, plain);
const outerValue = fc.record(
  {
    count: whole,
    isSet: fc.boolean(),
    data: fc.uint8Array(),
    label: fc.string({ unit: "grapheme" }),
    child: fc.option(innerValue, { nil: undefined }),
    children: fc.array(innerValue),
    numbers: fc.array(fc.string()),
  },
  plain,
);

test("[API-2] messages are read by another implementation as they were written", () => {
  const property = fc.property(outerValue, (value) => {
    const read = peer.toObject(peer.decode(outer.encode(value)), { longs: Number });
    const answer = outer.decode(Buffer.from(peer.encode(peer.fromObject(read)).finish()));
    assert.deepEqual({ ...answer, data: Uint8Array.from(answer.data) }, value);
  });
  fc.assert(property);
});

test("[API-2] fields that are not in the table are passed over", () => {
  const encoded = peer.encode(peer.fromObject({ count: 3, unknown: 1.5, label: "x" })).finish();
  const { count, label } = outer.decode(Buffer.from(encoded));
  assert.deepEqual({ count, label }, { count: 3, label: "x" });
});

test("[API-2] negative integers are read", () => {
  const encoded = peer.encode(peer.fromObject({ count: -1 })).finish();
  assert.equal(outer.decode(Buffer.from(encoded)).count, -1);
});

test("[API-2] what is cut off or no message at all is refused", () => {
  const encoded = outer.encode({ label: "label", child: { id: 300, name: "x" } });
  for (const length of [1, 2, 4, encoded.length - 1]) {
    assert.throws(() => outer.decode(encoded.subarray(0, length)), RangeError);
  }
  assert.throws(() => outer.decode(Buffer.from([0x0b])), RangeError);
  assert.throws(() => outer.decode(Buffer.alloc(20, 0xff)), RangeError);
});

test("[API-2] ids of 64 bits come through whole, as another implementation writes them", () => {
  const ours = message({ id: one(1, identifier), ids: many(2, identifier) });
  const type = protobuf.Root.fromJSON({
    nested: { Ids: { fields: { id: { type: "uint64", id: 1 } } } },
  }).lookupType("Ids");
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (id) => {
      const [low, high] = [Number(id & 0xffff_ffffn), Number(id >> 32n)];
      const encoded = Buffer.from(type.encode({ id: { low, high, unsigned: true } }).finish());
      assert.equal(ours.decode(encoded).id, id);
      assert.deepEqual(ours.decode(ours.encode({ id, ids: [id, 1n] })).ids, [id, 1n]);
      assert.equal(ours.decode(ours.encode({ id })).id, id);
    }),
  );
  assert.throws(() => ours.decode(Buffer.from([0x08, 0xff])), /does not end/);
});

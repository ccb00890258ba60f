import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { encodeItem, encodeProtobuf, encodeProtobufList } from "../../../api/protobuf/envelope.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { frame } from "./frame.ts";

// What Kubernetes' own serializers write, by `client-go fixtures` of test/genuine.
const file = new URL("../../../api/protobuf/testdata/answers.jsonl", import.meta.url);
const recorded = new Map(
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; object: JsonObject; bytes: string })
    .map(({ name, object, bytes }) => [name, { object, bytes }]),
);
const recording = (name: string) => recorded.get(name) ?? assert.fail(name);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test("[API-1] a list in protobuf is, byte for byte, what Kubernetes writes", () => {
  const { object, bytes } = recording("list");
  const { items, ...list } = object as JsonObject & { items: JsonObject[] };
  assert.equal(hex(encodeProtobufList(list, items.map(encodeItem))), bytes);
});

test("[API-1] a Status in protobuf is, byte for byte, what Kubernetes writes", () => {
  const { object, bytes } = recording("status");
  assert.equal(hex(encodeProtobuf(object)), bytes);
});

test("[API-1] an event of a watch in protobuf is, byte for byte, what Kubernetes writes", () => {
  const { object, bytes } = recording("event");
  assert.equal(hex(frame("protobuf", "ADDED", encodeProtobuf(object))), bytes);
});

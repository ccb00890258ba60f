import assert from "node:assert/strict";
import { test } from "node:test";
import { dnsLabel, pathSegment } from "../fields/names.ts";
import type { ObjectMeta } from "../types/meta.ts";
import { validateMetadata } from "./metadata.ts";

const fieldsOf = (...given: Parameters<typeof validateMetadata>) =>
  validateMetadata(...given).map(({ field }) => field);

test("names are held to the rule of their kind", () => {
  assert.deepEqual(fieldsOf({ name: "a.b" }), []);
  assert.deepEqual(fieldsOf({ name: "a.b" }, { name: dnsLabel }), ["metadata.name"]);
  assert.deepEqual(fieldsOf({ name: "system:node" }, { name: pathSegment }), []);
  assert.deepEqual(fieldsOf({}), ["metadata.name"]);
});

test("a prefix that ends in a dash makes good names", () => {
  assert.deepEqual(fieldsOf({ name: "web-x", generateName: "web-" }), []);
  assert.deepEqual(fieldsOf({ name: "web-x", generateName: "Web-" }), ["metadata.generateName"]);
});

const ending: ObjectMeta = {
  name: "a",
  finalizers: ["example.com/a"],
  deletionTimestamp: "2024-01-01T00:00:00Z",
};

test("an object that is going gets no new finalizers", () => {
  const old = ending;
  assert.deepEqual(fieldsOf({ ...ending, finalizers: [] }, { old }), []);
  const [error] = validateMetadata({ ...ending, finalizers: ["example.com/b"] }, { old });
  assert.equal(error?.type, "FieldValueForbidden");
  assert.match(error?.detail ?? "", /found new finalizers \[\]string\{"example.com\/b"\}$/);
});

test("finalizers that are added later are checked, those that were there are not", () => {
  const old = { name: "a", finalizers: ["odd"] };
  assert.deepEqual(fieldsOf({ name: "a", finalizers: ["odd"] }, { old }), []);
  assert.deepEqual(fieldsOf({ name: "a", finalizers: ["odd", "even"] }, { old }), [
    "metadata.finalizers",
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { causesOf, describeError, messageOf, reasonOf } from "./errors.ts";

test("an error is described with its causes, and nothing is said twice", () => {
  const root = new Error("connection refused");
  const middle = new Error("Cannot reach etcd: connection refused", { cause: root });
  const top = new Error("Cannot start", { cause: middle });
  assert.equal(describeError(top), "Cannot start: Cannot reach etcd: connection refused");
});

test("gathered errors are all described", () => {
  const all = new AggregateError([new Error("a failed"), new Error("b failed")], "Cannot stop");
  assert.equal(describeError(all), "Cannot stop: a failed: b failed");
});

test("a chain that bites its tail ends", () => {
  const one = new Error("one");
  const two = new Error("two", { cause: one });
  one.cause = two;
  assert.deepEqual(causesOf(one), [one, two]);
});

test("reasons come from the error or the system", () => {
  assert.equal(reasonOf(Object.assign(new Error("x"), { reason: "NotFound" })), "NotFound");
  assert.equal(reasonOf(Object.assign(new Error("x"), { code: "ENOENT" })), "ENOENT");
  assert.equal(reasonOf(new Error("x")), undefined);
  assert.equal(reasonOf("x"), undefined);
});

test("errors without words still say something", () => {
  assert.equal(messageOf(Object.assign(new Error(""), { code: "EPIPE" })), "EPIPE");
  assert.equal(messageOf(new TypeError("")), "TypeError");
  assert.equal(messageOf("text"), "text");
});

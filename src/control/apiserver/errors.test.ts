import assert from "node:assert/strict";
import { test } from "node:test";
import { forbidden, invalid, notFound, toStatusError } from "./errors.ts";

test("a missing object is named with its resource and group", () => {
  const error = notFound({ group: "apps", name: "deployments" }, "web");
  assert.deepEqual(error.toStatus(), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'deployments.apps "web" not found',
    reason: "NotFound",
    details: { name: "web", group: "apps", kind: "deployments" },
    code: 404,
  });
});

test("one wrong field is named in the message and as a cause", () => {
  const error = invalid({ group: "", name: "Pod" }, "p", [
    { type: "FieldValueRequired", field: "spec.containers", detail: "" },
  ]);
  assert.equal(error.message, 'Pod "p" is invalid: spec.containers: Required value');
  assert.deepEqual(error.details?.causes, [
    { reason: "FieldValueRequired", message: "Required value", field: "spec.containers" },
  ]);
});

test("several wrong fields come in brackets, values as JSON", () => {
  const error = invalid({ group: "", name: "Service" }, "s", [
    { type: "FieldValueInvalid", field: "spec.x", value: 70000, detail: "must be small" },
    {
      type: "FieldValueNotSupported",
      field: "spec.y",
      value: "a",
      detail: 'supported values: "b"',
    },
  ]);
  assert.equal(
    error.message,
    'Service "s" is invalid: [spec.x: Invalid value: 70000: must be small, spec.y: Unsupported value: "a": supported values: "b"]',
  );
});

test("what is forbidden may have no name", () => {
  assert.equal(forbidden({ group: "", name: "pods" }, "", "no").message, "pods is forbidden: no");
});

test("a fault of the server is an internal error", () => {
  const error = toStatusError(new TypeError("x is undefined"));
  assert.equal(error.code, 500);
  assert.equal(error.message, "Internal error occurred: x is undefined");
});

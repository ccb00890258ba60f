import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { JsonObject } from "../../base/json/value.ts";
import { decodeOwners } from "./owners.ts";
import { configs, exampleSchema } from "./testing/apply.ts";
import { trackUpdate } from "./update.ts";
import type { Versions } from "./version.ts";

const apiVersion = "example.com/v1";

function by(
  manager: string,
  second = 0,
): Versions & { manager: string; now: string; subresource?: string } {
  const now = `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
  return { schema: exampleSchema, apiVersion, manager, now };
}

function entries(object: JsonObject): JsonObject[] {
  const { managedFields = [] } = (object["metadata"] ?? {}) as { managedFields?: JsonObject[] };
  return managedFields;
}

function label(object: JsonObject, name: string, value = "x"): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  const labels = { ...(metadata["labels"] as JsonObject | undefined), [name]: value };
  return { ...object, metadata: { ...metadata, labels } };
}

const blank = { apiVersion, kind: "Example", metadata: { name: "x" } };

test("[API-1] an update that changes nothing changes no entry", () => {
  fc.assert(
    fc.property(configs, (config) => {
      const live = trackUpdate(undefined, config, by("a"));
      assert.deepEqual(trackUpdate(live, structuredClone(live), by("b", 5)), live);
    }),
  );
});

test("[API-1] what one manager sets, no other keeps", () => {
  fc.assert(
    fc.property(configs, configs, (first, second) => {
      const live = trackUpdate(undefined, first, by("a"));
      const next = trackUpdate(live, second, by("b", 1));
      const owners = [...decodeOwners(entries(next)).values()];
      assert.ok(owners.every(({ name }) => name.operation === "Update"));
      const again = trackUpdate(next, first, by("a", 2));
      for (const owner of decodeOwners(entries(again)).values()) {
        assert.notEqual(owner.set.children.size, 0);
      }
    }),
  );
});

test("clients that leave managedFields out do not lose them; an empty entry resets them", () => {
  const live = trackUpdate(undefined, label(blank, "a"), by("a"));
  const { managedFields: _, ...metadata } = live["metadata"] as JsonObject;
  const next = trackUpdate(live, label({ ...live, metadata }, "b"), by("b", 1));
  assert.deepEqual(
    entries(next).map((entry) => entry["manager"]),
    ["a", "b"],
  );
  for (const reset of [[], [{}]]) {
    const cleared = trackUpdate(
      live,
      { ...live, metadata: { ...metadata, managedFields: reset } },
      by("b"),
    );
    assert.equal(Object.hasOwn(cleared["metadata"] as JsonObject, "managedFields"), false);
    assert.deepEqual(entries(trackUpdate(cleared, label(cleared, "c"), by("c"))), []);
  }
  const broken = { ...live, metadata: { ...metadata, managedFields: [{ operation: "Guess" }] } };
  assert.deepEqual(entries(trackUpdate(live, broken, by("b"))), entries(live));
});

test("a subresource has entries of its own and cannot edit those of others", () => {
  const live = trackUpdate(undefined, label(blank, "a"), by("a"));
  const next = trackUpdate(
    live,
    {
      ...live,
      metadata: { name: "x", labels: { a: "x" }, managedFields: [] },
      status: { phase: "Up" },
    },
    { ...by("a", 1), subresource: "status" },
  );
  assert.deepEqual(entries(next), [
    ...entries(live),
    {
      manager: "a",
      operation: "Update",
      apiVersion,
      time: "2026-01-01T00:00:01Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:status": { ".": {}, "f:phase": {} } },
      subresource: "status",
    },
  ]);
});

test("ten entries of updates are kept; older ones become one", () => {
  let live = trackUpdate(undefined, label(blank, "l0"), by("m0"));
  for (let second = 1; second < 15; second++) {
    live = trackUpdate(live, label(live, `l${second}`), by(`m${second}`, second));
  }
  const managers = entries(live).map((entry) => entry["manager"]);
  assert.equal(managers.length, 10);
  assert.equal(managers[0], "ancient-changes");
  assert.deepEqual(entries(live)[0]?.["fieldsV1"], {
    "f:metadata": {
      "f:labels": {
        ".": {},
        "f:l0": {},
        "f:l1": {},
        "f:l2": {},
        "f:l3": {},
        "f:l4": {},
        "f:l5": {},
      },
    },
  });
  assert.equal(entries(live)[0]?.["time"], "2026-01-01T00:00:05Z");
});

test("an update whose list elements lack their keys leaves the record as it was", () => {
  const live = trackUpdate(undefined, label(blank, "a"), by("a"));
  const next = trackUpdate(live, { ...label(live, "b"), spec: { ports: [1] } }, by("b", 1));
  assert.deepEqual(next["spec"], { ports: [1] });
  assert.deepEqual(entries(next), entries(live));
});

test("a field that became atomic is owned as a whole by who owned parts of it", () => {
  const live = label(blank, "a");
  const managedFields = [
    {
      manager: "old",
      operation: "Update",
      apiVersion,
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:selector": { "f:app": {} } } },
    },
  ];
  const stored = {
    ...live,
    metadata: { ...(live["metadata"] as JsonObject), managedFields },
    spec: { selector: { app: "x" } },
  };
  const next = trackUpdate(stored, label(stored, "b"), by("b", 1));
  assert.deepEqual(entries(next)[0]?.["fieldsV1"], { "f:spec": { "f:selector": {} } });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json/value.ts";
import { hostIPs, podIPs } from "../pairs/pairs.ts";
import { schemaOf } from "../schema/registry.ts";
import { applyConfiguration } from "./apply.ts";
import { isApplyConflict } from "./conflict.ts";

const schema = schemaOf({ group: "", version: "v1", kind: "Pod" }) ?? assert.fail();
const blank: JsonObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
const pairs = [podIPs, hostIPs].map((pair) => ({ path: ["status"], pair }));

function apply(live: JsonObject, manager: string, status: object, force = false): JsonObject {
  const config = { ...blank, status } as JsonObject;
  const now = "2026-01-01T00:00:00Z";
  return applyConfiguration(live, config, { schema, apiVersion: "v1", manager, now, force, pairs });
}

/** The object as the server completes it before it is stored. */
function completed(object: JsonObject): JsonObject {
  const status = { podIP: "fd00::2", ...(object["status"] as object) };
  return { ...object, status };
}

function ownersOf(object: JsonObject, field: string): string[] {
  const { managedFields = [] } = object["metadata"] as {
    managedFields?: { manager: string; fieldsV1: { "f:status"?: object } }[];
  };
  return managedFields
    .filter(({ fieldsV1 }) => Object.hasOwn(fieldsV1["f:status"] ?? {}, field))
    .map(({ manager }) => manager);
}

const lists = { podIPs: [{ ip: "fd00::2", properties: { a: "b" } }, { ip: "10.0.0.2" }] };

test("[POD-3] the owner of the list keeps it when another applies the same value as the singular", () => {
  const live = completed(apply(blank, "plural", lists));
  const next = apply(live, "singular", { podIP: "FD00::2" });
  assert.deepEqual(ownersOf(next, "f:podIPs"), ["plural"]);
  assert.deepEqual(ownersOf(next, "f:podIP"), ["singular"]);
  assert.deepEqual((next["status"] as typeof lists).podIPs, lists.podIPs);
});

test("[POD-3] another value is a conflict with the owner of the list, unless forced", () => {
  const live = completed(apply(blank, "plural", lists));
  assert.throws(
    () => apply(live, "singular", { podIP: "fd00::3" }),
    (error) => {
      assert.ok(isApplyConflict(error));
      assert.deepEqual(error.causes, [
        {
          reason: "FieldManagerConflict",
          message: 'conflict with "plural"',
          field: ".status.podIP",
        },
      ]);
      return true;
    },
  );
  const forced = apply(live, "singular", { podIP: "fd00::3" }, true);
  assert.equal((forced["status"] as { podIP: string }).podIP, "fd00::3");
});

test("[POD-3] a manager that applies both is held to nothing but its own", () => {
  const live = completed(apply(blank, "plural", lists));
  const own = { podIP: "fd00::9", podIPs: [{ ip: "fd00::9" }] };
  assert.doesNotThrow(() => apply(live, "plural", own));
});

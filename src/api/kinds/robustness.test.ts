// Rules must never throw: whatever fits the schema can arrive, and rules answer with field errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { schemaOf } from "../schema/registry.ts";
import { resources } from "../schema/resources.ts";
import type { ApiObject, Kind } from "./kind.ts";
import { kindOf } from "./kinds.ts";
import { arbitraryOf } from "./testing/arbitrary.ts";
import { create, settings, update } from "./testing/write.ts";

const depth = 9;
const runs = 40;

for (const { group, version, kind: name } of resources) {
  const kind = kindOf(group, name);
  const schema = schemaOf({ group, version, kind: name });
  if (kind === undefined || schema === undefined || version !== "v1") continue;
  const objects = arbitraryOf(schema, depth).map((object) => named(object as ApiObject));

  test(`[API-4] rules of ${group}/${name} survive any object of its schema`, () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const old = structuredClone(first);
        const isStored = create(kind, old).length === 0;
        if (isStored) show(kind, old);
        const next = structuredClone(second);
        update(kind, next, { old });
        const status = structuredClone(second);
        update(kind, status, { old, subresource: "status" });
        if (isStored) assert.deepEqual(rewritten(kind, old), old);
        // A request may lack even the name.
        create(kind, { ...structuredClone(second), metadata: {} });
      }),
      { numRuns: runs },
    );
  });
}

/** Returns the outcome of an update that writes the stored object back; it must not change. */
function rewritten(kind: Kind, old: ApiObject): ApiObject {
  const again = structuredClone(old);
  assert.deepEqual(update(kind, again, { old }), []);
  return again;
}

function show(kind: Kind, object: ApiObject): void {
  kind.upgrade?.(object);
  kind.warnings?.(object, undefined);
  kind.gracePeriodSeconds?.(object);
  kind.table?.rows(object, settings.now());
  for (const field of kind.selectableFields ?? []) kind.selectableField?.(object, field);
}

/** Gives an object a name and a namespace, as the server does before it calls the rules. */
function named(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, name: "a", namespace: "default", uid: "u" } };
}

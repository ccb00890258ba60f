import assert from "node:assert/strict";
import { test } from "node:test";
import { resources } from "../schema/resources.ts";
import { kindOf } from "./kinds.ts";

/** Kinds without rules of their own: the newer form of events uses the rules of the older one. */
const elsewhere = ["events.k8s.io/Event"];

test("[API-1] every kind that is stored and can be listed has rules and a table", () => {
  const stored = resources.filter(
    ({ verbs }) => verbs.includes("list") && verbs.includes("create"),
  );
  const missing = stored
    .filter(({ group, kind }) => kindOf(group, kind)?.table === undefined)
    .map(({ group, kind }) => `${group}/${kind}`);
  assert.deepEqual(missing, elsewhere);
});

test("kinds are found by their own names only", () => {
  assert.equal(kindOf("", "constructor"), undefined);
  assert.equal(kindOf("apps", "Pod"), undefined);
});

// Tables as `kubectl get` shows them on Kubernetes for the same objects: columns and cells were recorded from
// kube-apiserver 1.33.1.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { ApiObject, Kind } from "./kind.ts";
import { kindOf } from "./kinds.ts";

interface Recording {
  readonly now?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly columns?: readonly (readonly [
    name: string,
    type: string,
    format: string,
    priority: number,
  ])[];
  readonly object?: ApiObject;
  readonly rows?: readonly (readonly unknown[])[];
}

const file = new URL("testdata/tables.jsonl", import.meta.url);
const recordings = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recording);
const now = new Date(recordings[0]?.now ?? assert.fail("no time"));

/** The cells where Tandem shows more than Kubernetes: every address of a pod, not only the first. */
const more = new Map<string, readonly [column: number, text: string]>([
  ["p-dual", [5, "fd00::1,10.0.0.1"]],
]);

for (const { group = "", kind: name = "", columns } of recordings) {
  if (columns === undefined) continue;
  test(`the columns of ${group}/${name}`, () => {
    const actual = tableOf(rulesOf(group, name)).columns.map((column) => [
      column.name,
      column.type,
      column.format ?? "",
      column.priority ?? 0,
    ]);
    // Kubernetes gives addresses an age and no column for it.
    const surplus = name === "IPAddress" ? actual.splice(2) : [];
    assert.deepEqual(actual, columns);
    assert.ok(surplus.length <= 1);
  });
}

for (const { object, rows } of recordings) {
  if (object === undefined) continue;
  test(`[POD-9] the row of ${object.kind} ${object.metadata?.name}`, () => {
    const group =
      object.apiVersion?.includes("/") === true ? object.apiVersion.replace(/\/.*/, "") : "";
    const kind = rulesOf(group, object.kind ?? "");
    kind.upgrade?.(object);
    kind.default?.(object);
    const expected = structuredClone(rows) as unknown[][];
    const [column, text] = more.get(object.metadata?.name ?? "") ?? [];
    if (column !== undefined && expected[0] !== undefined) expected[0][column] = text;
    assert.deepEqual(tableOf(kind).rows(object, now), expected);
  });
}

function rulesOf(group: string, name: string): Kind {
  return kindOf(group, name) ?? assert.fail(`${group}/${name} has no rules`);
}

function tableOf({ table }: Kind): NonNullable<Kind["table"]> {
  return table ?? assert.fail("no table");
}

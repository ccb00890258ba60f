// Outcomes of writes as Kubernetes has them for every kind: the defaults it fills in, the fields it keeps on
// an update, and the fields it complains about. Those in testdata/ were recorded from kube-apiserver 1.33.1.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { FieldError } from "../fields/field-error.ts";
import type { ApiObject, Kind } from "./kind.ts";
import { kindOf } from "./kinds.ts";
import { departures } from "./testdata/departures.ts";
import { changed, differences, isAbsent, type Leaves } from "./testing/paths.ts";
import { create, update } from "./testing/write.ts";

/** One recorded line: an object, or a change of one, and its outcome. */
interface Recording {
  readonly base?: string;
  readonly object?: ApiObject;
  readonly of?: string;
  readonly set?: Leaves;
  readonly oldStatus?: Leaves;
  readonly update?: Leaves;
  readonly status?: Leaves;
  readonly out?: Leaves;
  readonly errors?: readonly (readonly [type: string, field: string, message: string])[];
}

const uid = "UID";
const folder = new URL("testdata/", import.meta.url);
const files = readdirSync(folder).filter(
  (name) => name.endsWith(".jsonl") && name !== "tables.jsonl",
);

for (const file of files) {
  const recordings = recordingsIn(file);
  const bases = new Map(
    recordings.flatMap(({ base, object }) => (base && object ? [[base, object]] : [])),
  );
  for (const name of bases.keys()) {
    test(`[API-4] ${file}: ${name} as Kubernetes has it`, () => {
      const wrong = recordings
        .filter(({ base, of }) => base === name || of === name)
        .map((recording) => ({ recording, problem: compare(recording, bases.get(name)) }))
        .filter(({ recording, problem }) => (problem !== undefined) !== departs(recording))
        .map(({ recording, problem }) => `${describe(recording)}: ${problem ?? "agrees"}`);
      assert.deepEqual(wrong, []);
    });
  }
}

test("changes are counted of the kinds Kubernetes counts them of", () => {
  for (const { base, object, out } of files.flatMap(recordingsIn)) {
    if (base === undefined || object === undefined) continue;
    const isCounted = rulesOf(object).hasGeneration ?? "spec" in object;
    assert.equal(isCounted, out !== undefined && "metadata.generation" in out, base);
  }
});

function recordingsIn(file: string): Recording[] {
  const lines = readFileSync(new URL(file, folder), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Recording);
}

function rulesOf({ apiVersion = "", kind = "" }: ApiObject): Kind {
  const group = apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
  return kindOf(group, kind) ?? assert.fail(`${group}/${kind} has no rules`);
}

function compare(recording: Recording, base: ApiObject | undefined): string | undefined {
  assert.ok(base !== undefined);
  const { from, to, errors } = write(rulesOf(base), base, recording);
  if (recording.errors !== undefined) return compareErrors(errors, recording.errors);
  if (errors.length > 0) return `refused: ${errors.map(textOf).join("; ")}`;
  const actual = differences(from, to);
  const expected: Leaves = {};
  for (const [path, value] of Object.entries(recording.out ?? {})) {
    const isEmpty = value !== null && isAbsent(path, value);
    if (path === "metadata.generation" || (isEmpty && !(path in actual))) continue;
    expected[path] = isEmpty ? null : value;
  }
  const paths = Object.keys({ ...actual, ...expected }).filter(
    (path) => JSON.stringify(actual[path]) !== JSON.stringify(expected[path]),
  );
  if (paths.length === 0) return undefined;
  return paths
    .map(
      (path) => `${path} is ${JSON.stringify(actual[path])}, not ${JSON.stringify(expected[path])}`,
    )
    .join("; ");
}

interface Written {
  readonly from: ApiObject;
  readonly to: ApiObject;
  readonly errors: readonly FieldError[];
}

/** Carries out a recording; its outcome is compared with `from`: the object given, or the one it changes. */
function write(kind: Kind, base: ApiObject, recording: Recording): Written {
  const given = changed(base, { ...recording.set, "metadata.uid": uid });
  const object = structuredClone(given);
  const errors = create(kind, object);
  if (recording.base !== undefined) return { from: given, to: object, errors };
  const patch = recording.update ?? recording.status;
  if (patch === undefined) {
    const plain = changed(base, { "metadata.uid": uid });
    create(kind, plain);
    return { from: plain, to: object, errors };
  }
  assert.deepEqual(errors, [], "what is to be updated can be created");
  const old = changed(object, recording.oldStatus ?? {});
  const next = changed(old, patch);
  const subresource = recording.status === undefined ? {} : { subresource: "status" };
  const refused = update(kind, next, { old, ...subresource });
  return { from: old, to: next, errors: refused };
}

type Recorded = NonNullable<Recording["errors"]>;

function compareErrors(errors: readonly FieldError[], expected: Recorded): string | undefined {
  const names = (list: readonly { type: string; field: string }[]) =>
    [...new Set(list.map(({ type, field }) => `${type} ${field}`))].toSorted();
  const wanted = expected.map(([type, field, message]) => ({ type, field, message }));
  const same = names(errors).join("\n") === names(wanted).join("\n");
  if (!same)
    return `refused for [${errors.map(textOf).join("; ")}], not [${names(wanted).join("; ")}]`;
  const strange = errors.find(
    ({ type, field, detail }) =>
      !wanted.some(
        (one) => one.type === type && one.field === field && one.message.includes(detail),
      ),
  );
  if (strange === undefined) return undefined;
  const { message } = wanted.find(({ field }) => field === strange.field) ?? {};
  return `says ${textOf(strange)}, not ${message}`;
}

function textOf({ type, field, detail }: FieldError): string {
  return `${type} ${field}: ${detail}`;
}

function describe({ base, of, set, update: next, status }: Recording): string {
  const parts = { ...(set && { set }), ...(next && { update: next }), ...(status && { status }) };
  return `${base ?? of} ${JSON.stringify(parts)}`;
}

function departs(recording: Recording): boolean {
  const text = describe(recording);
  return departures.some(({ where }) => where.includes(text));
}

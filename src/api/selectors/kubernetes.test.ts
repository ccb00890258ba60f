// Compares selectors with what k8s.io/apimachinery 0.36.4 made of the same texts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecorded } from "../apply/testing/recorded.ts";
import { isSelectorError } from "./error.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";

interface Case {
  readonly op: "label" | "field";
  readonly text: string;
  /** The labels, or the fields of an object. */
  readonly labels: Readonly<Record<string, string>>;
  readonly matches?: boolean;
  readonly requirements?: readonly string[];
  readonly error?: string;
}

const kind = {
  selectableFields: ["spec.nodeName", "status.phase", "a"],
  selectableField: (object: Readonly<Record<string, unknown>>, field: string) =>
    String(object[field]),
};

test("[API-1] selectors mean what they mean to Kubernetes, and fail in its words", () => {
  const cases = readRecorded<Case>(new URL("vectors/selectors.jsonl.gz", import.meta.url));
  assert.ok(cases.length >= 500);
  for (const each of cases) {
    if (each.error !== undefined) {
      assert.throws(
        () => read(each),
        (error) => {
          assert.ok(isSelectorError(error));
          assert.equal(alike(error.message), alike(each.error ?? ""), each.text);
          return true;
        },
      );
      continue;
    }
    if (each.op === "field" && hasStranger(each)) continue;
    const { matches, requirements } = read(each);
    assert.equal(matches, each.matches, `${each.text} ${JSON.stringify(each.labels)}`);
    assert.deepEqual(requirements.toSorted(), each.requirements?.toSorted(), each.text);
  }
});

function read({ op, text, labels }: Case): { matches: boolean; requirements: string[] } {
  if (op === "label") {
    const filter = parseLabelSelector(text);
    return {
      matches: filter.matchesLabels(labels),
      requirements: filter.requirements.map(
        ({ key, operator, values }) => `${key} ${operator} [${values.join(" ")}]`,
      ),
    };
  }
  const object = { ...labels, metadata: { name: labels["metadata.name"] ?? "" } };
  const filter = parseFieldSelector(text, kind);
  return {
    matches: filter.matches(object),
    requirements: filter.requirements.map(
      ({ field, operator, value }) => `${field}${operator}${value}`,
    ),
  };
}

/** Whether a field is unknown: Kubernetes parses any and refuses it later; here the kind is known at once. */
function hasStranger({ text, requirements = [] }: Case): boolean {
  if (/(?:^|,)!?=/.test(text)) return true;
  const known = /^(?:metadata\.name|spec\.nodeName|status\.phase|a)!?=/;
  return requirements.some((each) => !known.test(each));
}

/** Removes two intended differences: "a qualified name", and a sign that is not named by its code. */
function alike(message: string): string {
  return message
    .replace("a qualified name", "a valid label key")
    .replace(/character in value: =$/, "character in value: 61");
}

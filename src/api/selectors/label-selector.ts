import { compareText, getOwn, isObject } from "../../base/json/value.ts";
import type { LabelSelector } from "../types/meta.ts";
import { SelectorError } from "./error.ts";
import { parseLabelRequirements } from "./label-parser.ts";
import {
  compileRequirement,
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  requirementFaults,
  sortedValues,
} from "./label-requirement.ts";

/** A parsed label selector. */
export interface LabelFilter {
  readonly requirements: readonly LabelRequirement[];
  /** The canonical text: selectors with equal texts match the same objects. */
  readonly text: string;
  matchesLabels(labels: Labels | undefined): boolean;
  /** Whether the object's metadata.labels match. */
  matches(object: unknown): boolean;
}

/** Parses a selector such as `app=web,tier in (a,b),!legacy`; the empty text matches everything. */
export function parseLabelSelector(text: string): LabelFilter {
  return filterBy(parseLabelRequirements(text));
}

/** Compiles the selector in an object's spec. An empty one matches everything, an absent one nothing. */
export function compileLabelSelector(selector: LabelSelector | undefined): LabelFilter {
  if (selector === undefined) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: "=", values: [value] });
  }
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const known = operators.get(operator);
    if (known === undefined) {
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    }
    requirements.push({ key, operator: known, values: sortedValues(values) });
  }
  const faults = requirements.flatMap(requirementFaults);
  if (faults.length > 0) throw new SelectorError(faults.join(", "));
  return filterBy(requirements);
}

const operators = new Map<string, LabelOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function filterBy(requirements: readonly LabelRequirement[]): LabelFilter {
  const tests = requirements.map(compileRequirement);
  const matchesLabels = (labels: Labels = {}): boolean => tests.every((test) => test(labels));
  return {
    requirements,
    text: requirements.map(formatRequirement).toSorted(compareText).join(","),
    matchesLabels,
    matches: (object) => matchesLabels(labelsOf(object)),
  };
}

const nothing: LabelFilter = {
  requirements: [],
  text: "<nothing>",
  matchesLabels: () => false,
  matches: () => false,
};

function labelsOf(object: unknown): Labels | undefined {
  const metadata = isObject(object) ? getOwn(object, "metadata") : undefined;
  const labels = isObject(metadata) ? getOwn(metadata, "labels") : undefined;
  return isObject(labels) ? (labels as Labels) : undefined;
}

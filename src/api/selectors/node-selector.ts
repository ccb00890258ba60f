// Selects nodes for a pod by their labels and names.

import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from "../types/core.ts";
import { compileRequirement, type LabelOperator } from "./label-requirement.ts";

export type NodeTest = (node: Node) => boolean;

/** Compiles what a pod requires: its nodeSelector and its required node affinity. */
export function requiredNodes({ nodeSelector, affinity }: PodSpec): NodeTest | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const labels = Object.entries(nodeSelector ?? {});
  const tests: NodeTest[] = [];
  if (labels.length > 0) {
    tests.push(({ metadata }) =>
      labels.every(([key, value]) => ownLabel(metadata.labels, key) === value),
    );
  }
  if (required !== undefined) tests.push(compileNodeSelector(required));
  return tests.length === 0 ? undefined : (node) => tests.every((test) => test(node));
}

/** Compiles a selector, of which one term has to match. */
export function compileNodeSelector({ nodeSelectorTerms }: NodeSelector): NodeTest {
  const terms = nodeSelectorTerms.map(compileTerm);
  return (node) => terms.some((term) => term(node));
}

/** Compiles a term, all of which has to match; an empty term matches nothing. */
export function compileTerm({
  matchExpressions = [],
  matchFields = [],
}: NodeSelectorTerm): NodeTest {
  if (matchExpressions.length + matchFields.length === 0) return () => false;
  const labels = matchExpressions.map(compileExpression);
  const fields = matchFields.map(compileExpression);
  return ({ metadata }) =>
    labels.every((test) => test(metadata.labels ?? {})) &&
    fields.every((test) => test({ "metadata.name": metadata.name }));
}

/** Returns the only node name that the affinity allows, if it names one, as pods of DaemonSets do. */
export function onlyNodeName({ affinity }: PodSpec): string | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const names = (required?.nodeSelectorTerms ?? []).map(({ matchFields = [] }) => {
    const [field] = matchFields;
    return matchFields.length === 1 && field?.operator === "In" ? field.values?.[0] : undefined;
  });
  return new Set(names).size === 1 ? names[0] : undefined;
}

export function ownLabel(
  labels: Readonly<Record<string, string>> | undefined,
  key: string,
): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

function compileExpression({ key, operator, values = [] }: NodeSelectorRequirement) {
  const known = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (known === undefined) {
    throw new Error(
      `Cannot match nodes by ${key}: there is no operator ${JSON.stringify(operator)}`,
    );
  }
  return compileRequirement({ key, operator: known, values });
}

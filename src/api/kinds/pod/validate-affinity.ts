// Checks of affinity: the nodes a pod asks for, and the pods it wants near it or far from it.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "../../fields/names.ts";
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "../../types/core.ts";
import type { LabelSelector } from "../../types/meta.ts";
import { each, named, present } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

export function affinityErrors(affinity: Affinity, path: string): FieldError[] {
  const { nodeAffinity = {}, podAffinity = {}, podAntiAffinity = {} } = affinity;
  const nodePath = `${path}.nodeAffinity`;
  const terms = nodeAffinity[requiredTerms]?.nodeSelectorTerms;
  const termsPath = `${nodePath}.${requiredTerms}.nodeSelectorTerms`;
  return [
    ...(nodeAffinity[requiredTerms] !== undefined && (terms ?? []).length === 0
      ? [required(termsPath, "must have at least one node selector term")]
      : []),
    ...each(terms, termsPath, (term, one) => nodeTermErrors(term, one, { checksValues: true })),
    ...each(nodeAffinity[preferredTerms], `${nodePath}.${preferredTerms}`, (term, one) => [
      ...weightErrors(term.weight, one),
      ...nodeTermErrors(term.preference ?? {}, `${one}.preference`, { checksValues: false }),
    ]),
    ...podAffinityErrors(podAffinity, `${path}.podAffinity`),
    ...podAffinityErrors(podAntiAffinity, `${path}.podAntiAffinity`),
  ];
}

function weightErrors(weight: number | undefined, path: string): FieldError[] {
  if (weight !== undefined && weight >= 1 && weight <= 100) return [];
  return [invalid(`${path}.weight`, weight ?? 0, "must be in the range 1-100")];
}

/** Checks a node selector term. Values of mere preferences are not checked: impossible ones do no harm. */
function nodeTermErrors(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  path: string,
  { checksValues }: { checksValues: boolean },
): FieldError[] {
  return [
    ...each(matchExpressions, `${path}.matchExpressions`, (requirement, one) => [
      ...operatorErrors(requirement, one),
      ...named(`${one}.key`, requirement.key ?? "", qualifiedName),
      ...(checksValues
        ? each(requirement.values, `${one}.values`, (value, field) =>
            named(field, value, labelValue),
          )
        : []),
    ]),
    ...each(matchFields, `${path}.matchFields`, nodeFieldErrors),
  ];
}

function operatorErrors(
  { operator, values = [] }: NodeSelectorRequirement,
  path: string,
): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist": {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return values.length === 0 ? [] : [forbidden(field, detail)];
    }
    case "Gt":
    case "Lt":
      return values.length === 1
        ? []
        : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator ?? "", "not a valid selector operator")];
  }
}

/** Checks a match on fields of a node, of which only metadata.name is supported. */
function nodeFieldErrors(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
): FieldError[] {
  const isOperator = operator === "In" || operator === "NotIn";
  const single =
    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isOperator ? [] : [invalid(`${path}.operator`, operator, "not a valid selector operator")]),
    ...(isOperator && values.length !== 1 ? [required(`${path}.values`, single)] : []),
    ...(key === "metadata.name"
      ? each(values, `${path}.values`, (value, field) => named(field, value, dnsSubdomain))
      : [invalid(`${path}.key`, key, "not a valid field selector key")]),
  ];
}

function podAffinityErrors(affinity: PodAffinity, path: string): FieldError[] {
  return [
    ...each(affinity[requiredTerms], `${path}.${requiredTerms}`, podTermErrors),
    ...each(affinity[preferredTerms], `${path}.${preferredTerms}`, (term, one) => [
      ...weightErrors(term.weight, one),
      ...podTermErrors(term.podAffinityTerm ?? {}, `${one}.podAffinityTerm`),
    ]),
  ];
}

function podTermErrors(term: Partial<PodAffinityTerm>, path: string): FieldError[] {
  const { topologyKey = "", matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const both = "exists in both matchLabelKeys and mismatchLabelKeys";
  return [
    ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    ...(term.namespaces ?? []).flatMap((name) => named(`${path}.namespace`, name, dnsLabel)),
    ...labelKeyErrors(matchLabelKeys, term.labelSelector, `${path}.matchLabelKeys`),
    ...labelKeyErrors(mismatchLabelKeys, term.labelSelector, `${path}.mismatchLabelKeys`),
    ...each(matchLabelKeys, `${path}.matchLabelKeys`, (key, field) =>
      mismatchLabelKeys.includes(key) ? [invalid(field, key, both)] : [],
    ),
    ...present(`${path}.topologyKey`, topologyKey, "can not be empty"),
    ...named(`${path}.topologyKey`, topologyKey, qualifiedName),
  ];
}

function labelKeyErrors(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  if (keys.length === 0) return [];
  const detail = "must not be specified when labelSelector is not set";
  return selector === undefined
    ? [forbidden(path, detail)]
    : each(keys, path, (key, field) => named(field, key, qualifiedName));
}

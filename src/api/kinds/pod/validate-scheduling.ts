// Checks of scheduling fields: tolerations, affinities, topology spread.

import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, forbidden, invalid, notSupported } from "../../fields/field-errors.ts";
import { labelValue, qualifiedName } from "../../fields/names.ts";
import type { PodSpec, Toleration, TopologySpreadConstraint } from "../../types/core.ts";
import type { LabelSelector } from "../../types/meta.ts";
import { each, named, optionalOneOf, positive, present } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { affinityErrors } from "./validate-affinity.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function schedulingErrors(spec: PodSpec, path: string): FieldError[] {
  return [
    ...each(spec.tolerations, `${path}.tolerations`, tolerationErrors),
    ...affinityErrors(spec.affinity ?? {}, `${path}.affinity`),
    ...spreadErrors(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
  ];
}

export function tolerationErrors(toleration: Toleration, path: string): FieldError[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const errors = key === "" ? [] : named(`${path}.key`, key, qualifiedName);
  const operatorField = `${path}.operator`;
  if (key === "" && operator !== "Exists") {
    const detail = `operator must be Exists when \`key\` is empty, which means "match all values and all keys"`;
    errors.push(invalid(operatorField, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(`${path}.effect`, effect, detail));
  }
  if (operator === "Exists") {
    const detail = "value must be empty when `operator` is 'Exists'";
    if (value !== "") errors.push(invalid(operatorField, value, detail));
  } else if (operator === "" || operator === "Equal") {
    const problems = labelValue(value);
    if (problems.length > 0) errors.push(invalid(operatorField, value, problems.join(";")));
  } else {
    errors.push(notSupported(operatorField, operator, ["Equal", "Exists"]));
  }
  if (effect !== "" && !effects.includes(effect)) {
    errors.push(notSupported(`${path}.effect`, effect, effects));
  }
  return errors;
}

function spreadErrors(
  constraints: readonly TopologySpreadConstraint[],
  path: string,
): FieldError[] {
  return each(constraints, path, (constraint, one, index) => {
    const { topologyKey, whenUnsatisfiable, minDomains, matchLabelKeys = [] } = constraint;
    const isSame = (other: TopologySpreadConstraint) =>
      other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable;
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
    const only = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
    return [
      ...positive(`${one}.maxSkew`, constraint.maxSkew),
      ...present(`${one}.topologyKey`, topologyKey, "can not be empty"),
      ...optionalOneOf(`${one}.whenUnsatisfiable`, whenUnsatisfiable ?? "", [
        "DoNotSchedule",
        "ScheduleAnyway",
      ]),
      ...(constraints.slice(index + 1).some(isSame)
        ? [duplicate(`${one}.{topologyKey, whenUnsatisfiable}`, pair)]
        : []),
      ...(minDomains === undefined ? [] : positive(`${one}.minDomains`, minDomains)),
      ...(minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule"
        ? [invalid(`${one}.minDomains`, minDomains, only)]
        : []),
      ...spreadKeyErrors(matchLabelKeys, constraint.labelSelector, `${one}.matchLabelKeys`),
      ...validateLabelSelector(constraint.labelSelector, `${one}.labelSelector`),
    ];
  });
}

function spreadKeyErrors(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  if (keys.length === 0) return [];
  const chosen = [
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(({ key }) => key),
  ];
  return [
    ...(selector === undefined
      ? [forbidden(path, "must not be specified when labelSelector is not set")]
      : []),
    ...each(keys, path, (key, field) => [
      ...named(field, key, qualifiedName),
      ...(chosen.includes(key)
        ? [invalid(field, key, "exists in both matchLabelKeys and labelSelector")]
        : []),
    ]),
  ];
}

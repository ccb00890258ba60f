import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, notSupported, required } from "../../fields/field-errors.ts";
import { qualifiedName } from "../../fields/names.ts";
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from "../../types/batch.ts";
import { each, isRepeated, named, tooMany } from "../checks.ts";
import { specOf } from "../workloads/template.ts";

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];
const max = { rules: 20, patterns: 20, exitCodes: 255 };

export function failurePolicyErrors(
  spec: JobSpec,
  { rules = [] }: Partial<PodFailurePolicy>,
  path: string,
): FieldError[] {
  const { containers, initContainers = [] } = specOf(spec.template);
  const names = [...containers, ...initContainers].map(({ name }) => name);
  return [
    ...tooMany(`${path}.rules`, rules.length, max.rules),
    ...each(rules, `${path}.rules`, (rule, one) => [
      ...actionErrors(rule, spec, `${one}.action`),
      ...(rule.onExitCodes === undefined
        ? []
        : exitCodeErrors(rule.onExitCodes, names, `${one}.onExitCodes`)),
      ...tooMany(`${one}.onPodConditions`, rule.onPodConditions?.length ?? 0, max.patterns),
      ...each(rule.onPodConditions, `${one}.onPodConditions`, conditionErrors),
      ...choiceErrors(rule, one),
    ]),
  ];
}

function choiceErrors({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, field: string) {
  const hasCodes = onExitCodes !== undefined;
  const hasConditions = onPodConditions.length > 0;
  if (hasCodes !== hasConditions) return [];
  const detail = hasCodes
    ? "specifying both OnExitCodes and OnPodConditions is not supported"
    : "specifying one of OnExitCodes and OnPodConditions is required";
  return [{ type: "FieldValueInvalid" as const, field, detail }];
}

function actionErrors(rule: PodFailurePolicyRule, spec: JobSpec, field: string): FieldError[] {
  const { action } = rule;
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    return [invalid(field, action, "requires the backoffLimitPerIndex to be set")];
  }
  return choice(field, action, actions);
}

function exitCodeErrors(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  names: readonly string[],
  path: string,
): FieldError[] {
  const { operator, containerName } = requirement;
  const values = requirement.values ?? [];
  const seen = new Set<string>();
  const isOrdered = values.every(
    (value, index) => index === 0 || (values[index - 1] ?? 0) <= value,
  );
  const unknown = "must be one of the container or initContainer names in the pod template";
  return [
    ...choice(`${path}.operator`, operator, operators),
    ...(containerName === undefined || names.includes(containerName)
      ? []
      : [invalid(`${path}.containerName`, containerName, unknown)]),
    ...(values.length === 0
      ? [invalid(`${path}.values`, values, "at least one value is required")]
      : tooMany(`${path}.values`, values.length, max.exitCodes)),
    ...each(values, `${path}.values`, (value, field) => [
      ...(operator === "In" && value === 0
        ? [invalid(field, value, "must not be 0 for the In operator")]
        : []),
      ...(isRepeated(seen, String(value)) ? [duplicate(field, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalid(`${path}.values`, values, "must be ordered")]),
  ];
}

function conditionErrors(
  { type, status }: PodFailurePolicyOnPodConditionsPattern,
  path: string,
): FieldError[] {
  return [
    ...named(`${path}.type`, type ?? "", qualifiedName),
    ...choice(`${path}.status`, status, statuses),
  ];
}

function choice(
  field: string,
  value: string | undefined,
  supported: readonly string[],
): FieldError[] {
  if (!value) {
    const quoted = supported.map((one) => `"${one}"`).join(" ");
    return [required(field, `valid values: [${quoted}]`)];
  }
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

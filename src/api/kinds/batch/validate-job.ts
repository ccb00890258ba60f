import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import type { JobSpec } from "../../types/batch.ts";
import { optionalOneOf } from "../checks.ts";
import { domainPathErrors } from "../domain-path.ts";
import { specOf, validateTemplate } from "../workloads/template.ts";
import { failurePolicyErrors } from "./validate-failure-policy.ts";
import { successPolicyErrors } from "./validate-success-policy.ts";

const max = { parallelism: 100_000, failedIndexes: 100_000 };

/** The sizes from which a job with a backoff limit per index has further bounds. */
const many = { completions: 100_000, parallelism: 10_000, failedIndexes: 10_000 };

export function jobSpecErrors(spec: JobSpec, path: string): FieldError[] {
  const { managedBy, completionMode, podFailurePolicy, successPolicy } = spec;
  const isIndexed = completionMode === "Indexed";
  const needsIndex = "requires indexed completion mode";
  return [
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...(managedBy === undefined ? [] : [...domainPathErrors(`${path}.managedBy`, managedBy)]),
    ...(isIndexed ? indexedErrors(spec, path) : []),
    ...(["backoffLimitPerIndex", "maxFailedIndexes"] as const)
      .filter(
        (field) => spec[field] !== undefined && (completionMode ?? "NonIndexed") === "NonIndexed",
      )
      .map((field) => invalid(`${path}.${field}`, spec[field], needsIndex)),
    ...(podFailurePolicy === undefined
      ? []
      : failurePolicyErrors(spec, podFailurePolicy, `${path}.podFailurePolicy`)),
    ...(successPolicy === undefined
      ? []
      : isIndexed
        ? successPolicyErrors(successPolicy, spec.completions ?? 0, `${path}.successPolicy`)
        : [invalid(`${path}.successPolicy`, successPolicy, needsIndex)]),
    ...optionalOneOf(
      `${path}.podReplacementPolicy`,
      spec.podReplacementPolicy,
      podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"],
    ),
    ...validateTemplate(spec.template, `${path}.template`),
    ...restartErrors(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function indexedErrors(spec: JobSpec, path: string): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const most = (field: string, value: number, detail: string) =>
    invalid(`${path}.${field}`, value, `must be less than or equal to ${detail}`);
  const failed = maxFailedIndexes ?? 0;
  const errors: FieldError[] = [];
  if (completions === undefined) {
    errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
  }
  if (parallelism > max.parallelism) {
    const detail = `${max.parallelism} when completion mode is Indexed`;
    errors.push(most("parallelism", parallelism, detail));
  }
  if (completions !== undefined && failed > completions) {
    errors.push(most("maxFailedIndexes", failed, "completions"));
  }
  if (failed > max.failedIndexes) {
    errors.push(most("maxFailedIndexes", failed, String(max.failedIndexes)));
  }
  if ((completions ?? 0) <= many.completions || backoffLimitPerIndex === undefined) return errors;
  const when = `when completions are above ${many.completions} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    const detail = `must be specified when completions is above ${many.completions}`;
    errors.push(required(`${path}.maxFailedIndexes`, detail));
  }
  if (parallelism > many.parallelism) {
    errors.push(most("parallelism", parallelism, `${many.parallelism} ${when}`));
  }
  if (failed > many.failedIndexes) {
    errors.push(most("maxFailedIndexes", failed, `${many.failedIndexes} ${when}`));
  }
  return errors;
}

/** Checks the restart policy: a job's pod that is always restarted would never finish. */
function restartErrors(spec: JobSpec, field: string): FieldError[] {
  const { restartPolicy = "" } = specOf(spec.template);
  const supported = ["OnFailure", "Never"];
  if (restartPolicy === "Always" || restartPolicy === "") {
    return [required(field, `valid values: ${supported.map((one) => `"${one}"`).join(", ")}`)];
  }
  if (!supported.includes(restartPolicy)) return [notSupported(field, restartPolicy, supported)];
  if (spec.podFailurePolicy === undefined || restartPolicy === "Never") return [];
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalid(field, restartPolicy, detail)];
}

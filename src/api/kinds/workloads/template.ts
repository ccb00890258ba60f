// Pod templates, and the selectors that must match the pods made from them.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../fields/field-errors.ts";
import { typeNamed } from "../../schema/registry.ts";
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import type { PodSpec, PodTemplateSpec } from "../../types/core.ts";
import type { LabelSelector } from "../../types/meta.ts";
import { fillDefaults } from "../facts/defaults.ts";
import { type FactPlan, factPlan } from "../facts/plan.ts";
import { isEmptySelector, validateLabelSelector } from "../label-selector.ts";
import { validateAnnotations, validateLabels } from "../metadata.ts";
import { defaultPodSpec } from "../pod/defaults.ts";
import { noEphemeralErrors, validatePodSpec } from "../pod/validate-spec.ts";

export function defaultTemplate(template: PodTemplateSpec): void {
  template.metadata ??= {};
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
}

/** Fills in the defaults of a template and those of the tables, where no kind has done so. */
export function completeTemplate(template: PodTemplateSpec): void {
  templatePlan ??= factPlan(typeNamed("io.k8s.api.core.v1.PodTemplateSpec") ?? { type: "object" });
  fillDefaults(templatePlan ?? [], template as Record<string, unknown>);
  defaultTemplate(template);
}

let templatePlan: FactPlan | undefined;

export function validateTemplate(template: PodTemplateSpec, path: string): FieldError[] {
  const spec = specOf(template);
  const specPath = `${path}.spec`;
  return [
    ...templateMetadataErrors(template, path),
    ...validatePodSpec(spec, specPath, { isPod: false }),
    ...noEphemeralErrors(spec, specPath, "ephemeral containers not allowed in pod template"),
  ];
}

export function templateMetadataErrors({ metadata }: PodTemplateSpec, path: string): FieldError[] {
  return [
    ...validateLabels(metadata?.labels, `${path}.labels`),
    ...validateAnnotations(metadata?.annotations, `${path}.annotations`),
  ];
}

/** Refuses templates of pods that end: the restart policy must be Always, without a deadline. */
export function endlessErrors(
  template: PodTemplateSpec,
  path: string,
  owner: string,
): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = specOf(template);
  const field = `${path}.spec.activeDeadlineSeconds`;
  const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
  return [
    ...(restartPolicy === "Always"
      ? []
      : [notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"])]),
    ...(activeDeadlineSeconds === undefined ? [] : [forbidden(field, detail)]),
  ];
}

export interface SelectorOwner {
  readonly selector?: LabelSelector | undefined;
  readonly template?: PodTemplateSpec | undefined;
}

/** Checks that there is a selector, and that it is not empty. */
export function selectorErrors(
  selector: LabelSelector | undefined,
  path: string,
  owner: string,
): FieldError[] {
  if (selector === undefined) return [required(path)];
  const detail = `empty selector is invalid for ${owner}`;
  return [
    ...validateLabelSelector(selector, path),
    ...(isEmptySelector(selector) ? [invalid(path, selector, detail)] : []),
  ];
}

/** Checks that the selector matches the labels of the template. */
export function mismatchErrors({ selector, template }: SelectorOwner, path: string): FieldError[] {
  if (validateLabelSelector(selector, "").length > 0) return [];
  const { labels = {} } = template?.metadata ?? {};
  if (compileLabelSelector(selector).matchesLabels(labels)) return [];
  const field = `${path}.template.metadata.labels`;
  return [invalid(field, labels, "`selector` does not match template `labels`")];
}

export function specOf({ spec }: PodTemplateSpec): PodSpec {
  return spec ?? { containers: [] };
}

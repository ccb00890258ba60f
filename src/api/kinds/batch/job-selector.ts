// The selector of a Job: labels generated from its uid, unless the user sets `manualSelector`.

import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import type { Job } from "../../types/batch.ts";
import { validateLabelSelector } from "../label-selector.ts";

const domain = "batch.kubernetes.io/";
const uidLabel = `${domain}controller-uid`;

/** Returns the labels a job puts on its pods, under their present and their legacy names. */
function ownLabels({ metadata }: Job): Record<string, string> {
  const { uid = "", name } = metadata;
  const labels = { "controller-uid": uid, "job-name": name };
  const prefixed = Object.entries(labels).map(([key, value]) => [`${domain}${key}`, value]);
  return { ...labels, ...(Object.fromEntries(prefixed) as Record<string, string>) };
}

export function generateSelector(job: Job): void {
  const { metadata, spec } = job;
  const template = (spec.template.metadata ??= {});
  if (spec.manualSelector !== true) {
    template.labels = { ...ownLabels(job), ...template.labels };
    const { matchLabels } = spec.selector ?? {};
    const { [uidLabel]: uid = metadata.uid ?? "" } = matchLabels ?? {};
    spec.selector = { ...spec.selector, matchLabels: { ...matchLabels, [uidLabel]: uid } };
  }
  const hasLabels = Object.keys(metadata.labels ?? {}).length > 0;
  if (!hasLabels && template.labels !== undefined) metadata.labels = { ...template.labels };
}

/** Checks that labels and selector of the user do not contradict the generated ones. */
export function generatedSelectorErrors(job: Job): FieldError[] {
  const { spec } = job;
  if (spec.manualSelector === true) return [];
  const labels = spec.template.metadata?.labels ?? {};
  const own = ownLabels(job);
  const path = "spec.template.metadata.labels";
  const errors = Object.entries(own).flatMap(([key, expected]) => {
    const value = labels[key];
    const detail = `must be '${expected}'`;
    if (value === undefined) return [required(`${path}[${key}]`, detail)];
    return value === expected ? [] : [invalid(`${path}[${key}]`, labels, detail)];
  });
  const isReadable = validateLabelSelector(spec.selector, "").length === 0;
  if (isReadable && !compileLabelSelector(spec.selector).matchesLabels(own)) {
    errors.push(invalid("spec.selector", spec.selector, "`selector` not auto-generated"));
  }
  return errors;
}

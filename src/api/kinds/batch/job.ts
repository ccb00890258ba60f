import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import { dnsLabel } from "../../fields/names.ts";
import type { Job, JobSpec, JobStatus } from "../../types/batch.ts";
import type { PodTemplateSpec } from "../../types/core.ts";
import { shortDuration } from "../age.ts";
import { immutable } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn, selectorText } from "../workloads/columns.ts";
import { countErrors } from "../workloads/replica-counts.ts";
import { defaultTemplate, mismatchErrors } from "../workloads/template.ts";
import { generatedSelectorErrors, generateSelector } from "./job-selector.ts";
import { jobSpecErrors } from "./validate-job.ts";

export const job: Kind<Job> = specAndStatus<Job>({
  default(object) {
    defaultJobSpec((object.spec ??= { template: {} }));
  },
  initialStatus: () => ({}),
  prepareCreate: generateSelector,
  validate: (object) => [
    ...generatedSelectorErrors(object),
    ...jobSpecErrors(object.spec, "spec"),
    ...selectorErrors(object),
    ...hostnameErrors(object),
  ],
  validateUpdate: changeErrors,
  validateStatusUpdate: statusErrors,
  selectableFields: ["status.successful"],
  selectableField: ({ status }) => String(status?.succeeded ?? 0),
  table: table<Job>([
    nameColumn,
    text("Status", statusText),
    text("Completions", completionsText),
    text("Duration", durationText),
    ageColumn,
    wide(containersColumn(({ spec }) => spec.template)),
    wide(imagesColumn(({ spec }) => spec.template)),
    wide(text("Selector", ({ spec }) => selectorText(spec.selector))),
  ]),
});

function selectorErrors({ spec }: Job): FieldError[] {
  return [
    ...(spec.selector === undefined
      ? [required("spec.selector")]
      : validateLabelSelector(spec.selector, "spec.selector")),
    ...mismatchErrors(spec, "spec"),
  ];
}

/** Checks the host names of an indexed job's pods, which are made of the job's name and an index. */
function hostnameErrors({ metadata, spec }: Job): FieldError[] {
  const { completions = 0, completionMode } = spec;
  const longest = `${metadata.name}-${completions - 1}`;
  if (completionMode !== "Indexed" || completions < 1 || dnsLabel(longest).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid("metadata.name", metadata.name, detail)];
}

function changeErrors({ spec }: Job, old: Job): FieldError[] {
  const { completions, parallelism } = spec;
  const before = old.spec;
  const isResized = spec.completionMode === "Indexed" && completions !== before.completions;
  const together = "can only be modified in tandem with spec.parallelism";
  const fixed = [
    "selector",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const;
  return [
    ...(spec.completionMode === "Indexed"
      ? isResized && completions !== parallelism
        ? [invalid("spec.completions", completions, together)]
        : []
      : immutable("spec.completions", completions, before.completions)),
    ...fixed.flatMap((field) => immutable(`spec.${field}`, spec[field], before[field])),
    ...jobTemplateChangeErrors(spec, old),
  ];
}

const terminal = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"];

function statusErrors({ status = {} }: Job, old: Job): FieldError[] {
  const before = old.status ?? {};
  const conditionError = (detail: string): FieldError => ({
    type: "FieldValueInvalid",
    field: "status.conditions",
    detail,
  });
  const lowered = (["failed", "succeeded"] as const).filter(
    (field) => (status[field] ?? 0) < (before[field] ?? 0),
  );
  return [
    ...countErrors(status, ["active", "succeeded", "failed", "ready", "terminating"]),
    ...(isTrue(status, "Complete") && isTrue(status, "Failed")
      ? [conditionError("cannot set Complete=True and Failed=true conditions")]
      : []),
    ...terminal
      .filter((type) => isTrue(before, type) && !isTrue(status, type))
      .map((type) => conditionError(`cannot disable the terminal ${type}=True condition`)),
    ...lowered.map((field) =>
      invalid(`status.${field}`, status[field] ?? 0, `cannot decrease the ${field} counter`),
    ),
  ];
}

function isTrue({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === "True");
}

function statusText({ metadata, status = {} }: Job): string {
  const ended = ["Complete", "Failed"].find((type) => isTrue(status, type));
  if (ended !== undefined) return ended;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget"].find((type) => isTrue(status, type)) ?? "Running";
}

function completionsText({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec;
  const done = status?.succeeded ?? 0;
  if (completions !== undefined) return `${done}/${completions}`;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationText({ status = {} }: Job, now: Date): string {
  const { startTime, completionTime } = status;
  if (startTime === undefined) return "";
  const end = completionTime === undefined ? now.getTime() : Date.parse(completionTime);
  return shortDuration(end - Date.parse(startTime));
}

/** Refuses changes of the pod template; scheduling fields may change as long as no pod was created. */
function jobTemplateChangeErrors(spec: JobSpec, old: Job): FieldError[] {
  const isWaiting = old.spec.suspend === true && old.status?.startTime === undefined;
  const now = isWaiting ? withoutPlacement(spec.template) : spec.template;
  const before = isWaiting ? withoutPlacement(old.spec.template) : old.spec.template;
  return immutable("spec.template", now, before);
}

function withoutPlacement(template: PodTemplateSpec): PodTemplateSpec {
  const { metadata = {}, spec = { containers: [] } } = structuredClone(template);
  delete metadata.annotations;
  delete metadata.labels;
  delete spec.affinity?.nodeAffinity;
  delete spec.nodeSelector;
  delete spec.tolerations;
  delete spec.schedulingGates;
  return { metadata, spec };
}

const unlimited = 2 ** 31 - 1;

function defaultJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : unlimited;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
  spec.podReplacementPolicy ??=
    spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  defaultTemplate((spec.template ??= {}));
}

// Admission of new pods beyond the defaults of the spec: a service account, a priority, and tolerations of
// nodes that are not ready or unreachable.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden } from "../../fields/field-errors.ts";
import type { Pod, PodAffinityTerm, PodSpec, Toleration } from "../../types/core.ts";
import { systemClasses } from "../scheduling/priority-class.ts";
import { isMirrorPod } from "./account.ts";

const patienceSeconds = 300;
const ailments = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const preemption = "PreemptLowerPriority";
export function completeNewPod(pod: Pod): void {
  const { spec } = pod;
  if (!isMirrorPod(pod)) {
    spec.serviceAccountName ||= "default";
    spec.serviceAccount = spec.serviceAccountName;
  }
  spec.priority ??= priorityOf(spec);
  spec.preemptionPolicy ??= preemption;
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  tolerateAilments(spec);
  pinLabelKeys(pod);
}

/** Restores fields that the server had filled in and a client that resends its manifest left out. */
export function completeUpdatedPod({ spec }: Pod, old: Pod): void {
  if (old.spec.priority !== undefined) spec.priority ??= old.spec.priority;
  if (old.spec.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.spec.preemptionPolicy;
  tolerateAilments(spec);
}

/** Refuses fields that a new pod may not have. */
export function newPodErrors(pod: Pod): FieldError[] {
  const { nodeName, schedulingGates = [], ephemeralContainers = [] } = pod.spec;
  const gated = "cannot be set until all schedulingGates have been cleared";
  return [
    ...(ephemeralContainers.length > 0
      ? [forbidden("spec.ephemeralContainers", "cannot be set on create")]
      : []),
    ...(nodeName && schedulingGates.length > 0 ? [forbidden("spec.nodeName", gated)] : []),
    ...priorityErrors(pod),
  ];
}

/** Checks that a pod has the priority of its class; it may not set another. */
function priorityErrors({ spec }: Pod): FieldError[] {
  const expected = priorityOf(spec);
  const { priority = expected, preemptionPolicy = preemption } = spec;
  const isOfUsers = spec.priorityClassName && systemClasses[spec.priorityClassName] === undefined;
  const why = (computed: string | number) =>
    `must not be provided: ${computed} follows from the priority class`;
  return [
    ...(priority === expected ? [] : [forbidden("spec.priority", why(expected))]),
    ...(preemptionPolicy === preemption || isOfUsers
      ? []
      : [forbidden("spec.preemptionPolicy", why(preemption))]),
  ];
}

/** Returns the priority of a class. That of a class made by users was already filled in by the API server. */
function priorityOf({ priorityClassName = "", priority = 0 }: PodSpec): number {
  return priorityClassName === "" ? 0 : (systemClasses[priorityClassName] ?? priority);
}

/** Turns `matchLabelKeys` of an affinity into expressions with the values of the pod's own labels. */
function pinLabelKeys({ metadata, spec }: Pod): void {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const wishes = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...wishes.flatMap(({ podAffinityTerm }) => podAffinityTerm ?? []),
    ];
    for (const term of terms) pinTerm(term, metadata.labels ?? {});
  }
}

function pinTerm(term: PodAffinityTerm, labels: Readonly<Record<string, string>>): void {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const expressions = [
    ...matchLabelKeys.map((key) => ({ key, operator: "In" as const })),
    ...mismatchLabelKeys.map((key) => ({ key, operator: "NotIn" as const })),
  ].flatMap(({ key, operator }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (labelSelector === undefined || expressions.length === 0) return;
  labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...expressions];
}

function tolerateAilments(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? [];
  const isTolerated = (ailment: string) => tolerations.some((one) => tolerates(one, ailment));
  const missing = ailments.filter((ailment) => !isTolerated(ailment));
  if (missing.length === 0) return;
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({
      key,
      operator: "Exists" as const,
      effect: "NoExecute" as const,
      tolerationSeconds: patienceSeconds,
    })),
  ];
}

function tolerates({ key = "", effect }: Toleration, ailment: string): boolean {
  return (key === ailment || key === "") && (effect === "NoExecute" || !effect);
}

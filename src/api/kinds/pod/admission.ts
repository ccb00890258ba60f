// What a new pod gets beyond the defaults of its spec: an account to run as, a priority, and some
// patience with nodes that are not well.

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

/** Keeps what a client that writes its own manifest again has left out. */
export function completeUpdatedPod({ spec }: Pod, old: Pod): void {
  if (old.spec.priority !== undefined) spec.priority ??= old.spec.priority;
  if (old.spec.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.spec.preemptionPolicy;
  tolerateAilments(spec);
}

/** What may not be there from the beginning. */
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

/** Priorities follow from classes; a pod may not give itself another. */
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

/** Of a class that users made, the API server knows the value and has filled it in. */
function priorityOf({ priorityClassName = "", priority = 0 }: PodSpec): number {
  return priorityClassName === "" ? 0 : (systemClasses[priorityClassName] ?? priority);
}

/** Keys whose values an affinity takes from the pod itself become expressions with those values. */
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

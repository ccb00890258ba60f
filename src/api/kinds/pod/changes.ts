// Changes of an existing pod that are allowed: images, a shorter deadline, more tolerations, fewer gates. The
// rest of its spec is immutable.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid } from "../../fields/field-errors.ts";
import type { Container, NodeAffinity, Pod, PodSpec, Toleration } from "../../types/core.ts";
import { each } from "../checks.ts";
import { sameMeaning } from "../equality.ts";

const mayChange = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

export function specChangeErrors({ spec }: Pod, { spec: old }: Pod): FieldError[] {
  const counts = (["containers", "initContainers"] as const).filter(
    (list) => (spec[list] ?? []).length !== (old[list] ?? []).length,
  );
  if (counts.length > 0) {
    const detail = "pod updates may not add or remove containers";
    return counts.slice(0, 1).map((list) => forbidden(`spec.${list}`, detail));
  }
  const errors = [
    ...deadlineErrors(spec, old),
    ...tolerationErrors(spec.tolerations ?? [], old.tolerations ?? []),
    ...gateErrors(spec, old),
  ];
  const masked = mask(spec, old);
  if ((old.schedulingGates ?? []).length > 0) {
    errors.push(...placementErrors(spec, old));
    maskPlacement(masked, old);
  }
  if (sameMeaning(masked, old)) return errors;
  const detail = `pod updates may not change fields other than ${mayChange.join(",")}`;
  return [...errors, forbidden("spec", detail)];
}

/** Checks ephemeral containers: they can be added, but not changed or removed. */
export function ephemeralChangeErrors({ spec }: Pod, { spec: old }: Pod): FieldError[] {
  const path = "spec.ephemeralContainers";
  return (old.ephemeralContainers ?? []).flatMap((before) => {
    const now = (spec.ephemeralContainers ?? []).find(({ name }) => name === before.name);
    const state = now === undefined ? "removed" : "changed";
    if (now !== undefined && sameMeaning(now, before)) return [];
    return [forbidden(path, `existing ephemeral containers "${before.name}" may not be ${state}`)];
  });
}

function deadlineErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const { activeDeadlineSeconds: now } = spec;
  const { activeDeadlineSeconds: before } = old;
  const field = "spec.activeDeadlineSeconds";
  if (before === undefined) return [];
  if (now === undefined) {
    return [invalid(field, null, "must not update from a positive integer to nil value")];
  }
  return now > before ? [invalid(field, now, "must be less than or equal to previous value")] : [];
}

function tolerationErrors(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const untimed = (toleration: Toleration) => ({ ...toleration, tolerationSeconds: 0 });
  const isKept = (one: Toleration) =>
    now.some((other) => sameMeaning(untimed(one), untimed(other)));
  if (before.every(isKept)) return [];
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return [forbidden("spec.tolerations", detail)];
}

function gateErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const before = (old.schedulingGates ?? []).map(({ name }) => name);
  return each(spec.schedulingGates, "spec.schedulingGates", ({ name }, path) => {
    if (before.includes(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`${path}.name`, detail)];
  });
}

/** Returns the new spec with the mutable fields taken from the old one. */
function mask(spec: PodSpec, old: PodSpec): PodSpec {
  const masked = { ...spec };
  keep(masked, old, ["activeDeadlineSeconds", "tolerations", "schedulingGates"]);
  const isMended = (old.terminationGracePeriodSeconds ?? 0) < 0;
  if (isMended && spec.terminationGracePeriodSeconds === 1) {
    keep(masked, old, ["terminationGracePeriodSeconds"]);
  }
  masked.containers = withImages(spec.containers, old.containers);
  if (spec.initContainers !== undefined) {
    masked.initContainers = withImages(spec.initContainers, old.initContainers ?? []);
  }
  return masked;
}

type OptionalField = Exclude<keyof PodSpec, "containers">;

function keep(spec: PodSpec, old: PodSpec, fields: readonly OptionalField[]): void {
  for (const field of fields) {
    delete spec[field];
    if (old[field] !== undefined) Object.assign(spec, { [field]: old[field] });
  }
}

function withImages(now: readonly Container[], before: readonly Container[]): Container[] {
  return now.map((container, index) => {
    const { image } = before[index] ?? {};
    return image === undefined ? container : { ...container, image };
  });
}

/** Checks changes of placement: they may only narrow it down, and only while the pod is gated. */
function placementErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const { nodeSelector = {} } = spec;
  const isKept = Object.entries(old.nodeSelector ?? {}).every(
    ([key, value]) => Object.hasOwn(nodeSelector, key) && nodeSelector[key] === value,
  );
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [
    ...(isKept ? [] : [invalid("spec.nodeSelector", nodeSelector, detail)]),
    ...affinityErrors(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  ];
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function affinityErrors(
  now: NodeAffinity | undefined,
  before: NodeAffinity | undefined,
): FieldError[] {
  const oldTerms = before?.[required]?.nodeSelectorTerms ?? [];
  const newTerms = now?.[required]?.nodeSelectorTerms ?? [];
  const path = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  if (oldTerms.length === 0) return [];
  if (oldTerms.length !== newTerms.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [invalid(path, newTerms, detail)];
  }
  return each(newTerms, path, (term, field, index) => {
    const isLonger = (["matchExpressions", "matchFields"] as const).every((list) => {
      const kept = oldTerms[index]?.[list] ?? [];
      return sameMeaning((term[list] ?? []).slice(0, kept.length), kept);
    });
    const detail = "only additions are allowed (no mutations or deletions)";
    return isLonger ? [] : [invalid(field, term, detail)];
  });
}

function maskPlacement(masked: PodSpec, old: PodSpec): void {
  keep(masked, old, ["nodeSelector"]);
  const { nodeAffinity: _, ...others } = masked.affinity ?? {};
  const nodeAffinity = old.affinity?.nodeAffinity;
  const affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  if (Object.keys(affinity).length === 0 && old.affinity === undefined) delete masked.affinity;
  else masked.affinity = affinity;
}

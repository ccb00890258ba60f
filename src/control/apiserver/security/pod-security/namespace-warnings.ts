// The warnings for a change of a namespace's Pod Security level.
import type { Pod } from "../../../../api/types/core.ts";
import type { CheckedPod } from "./check.ts";
import {
  isNamed,
  isPrivileged,
  type LevelVersion,
  levelText,
  modes,
  type Policy,
  violations,
} from "./policy.ts";

/** The most pods that are checked; more would keep the server from its other work. */
const mostPods = 3_000;

/** Returns warnings for the running pods that the new level would not allow. */
export function podWarnings(
  namespace: string,
  pods: readonly Pod[],
  enforce: LevelVersion,
): readonly string[] {
  const ordered = oneOfEachController(pods);
  const checked = ordered.slice(0, mostPods);
  const found = new Map<string, string[]>();
  for (const { metadata, spec } of checked) {
    const reasons = describeReasons({ spec, annotations: metadata.annotations ?? {} }, enforce);
    if (reasons !== "") found.set(reasons, [...(found.get(reasons) ?? []), metadata.name]);
  }
  return [
    ...(checked.length < ordered.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${ordered.length} existing pods`,
        ]
      : []),
    ...(found.size > 0
      ? [
          `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${levelText(enforce)}"`,
        ]
      : []),
    ...[...found].map(([reasons, names]) => `${namesText(names)}: ${reasons}`).toSorted(),
  ];
}

/** Sorts pods so that the first of each controller comes before the others, which are likely the same. */
function oneOfEachController(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const [first, others]: [Pod[], Pod[]] = [[], []];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
    (owner === undefined || !seen.has(owner.uid) ? first : others).push(pod);
    if (owner !== undefined) seen.add(owner.uid);
  }
  return [...first, ...others];
}

function namesText(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  const more = names.length === 2 ? "1 other pod" : `${names.length - 1} other pods`;
  return `${first} (and ${more})`;
}

/** Returns the warning that the labels of an exempt namespace have no effect. */
export function exemptionWarning(
  { name, labels = {} }: { readonly name: string; readonly labels?: Record<string, string> },
  policy: Policy,
  defaults: Policy,
): readonly string[] {
  const isDefault = modes.every((mode) => levelText(policy[mode]) === levelText(defaults[mode]));
  if (isPrivileged(policy) || isDefault) return [];
  const named = modes
    .filter((mode) => policy[mode].level !== "privileged" && isNamed(labels, mode))
    .map((mode) => `${mode}=${levelText(policy[mode])}`);
  return [
    `namespace "${name}" is exempt from Pod Security, and the policy (${named.join(", ")}) will be ignored`,
  ];
}

/** Returns the reasons of a pod's violations, without details; empty when there are none. */
function describeReasons(pod: CheckedPod, level: LevelVersion): string {
  return violations(pod, level)
    .map(({ reason }) => reason)
    .join(", ");
}

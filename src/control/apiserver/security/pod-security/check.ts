// The checks of Pod Security, with their versions, and the texts of their violations.
import type { Container, EphemeralContainer, PodSpec } from "../../../../api/types/core.ts";

export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (pod: CheckedPod) => Violation | undefined;

export interface Check {
  readonly id: string;
  /** The checks by the minor version since which they apply, ascending. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** The ids of checks of the level below that this one replaces. */
  readonly replaces?: readonly string[];
}

type AnyContainer = Container | EphemeralContainer;

export function containersOf({ spec }: CheckedPod): readonly AnyContainer[] {
  return [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
}

/** Returns the names of the containers that match a condition. */
export function namesWhere(pod: CheckedPod, isSo: (one: AnyContainer) => boolean): string[] {
  return containersOf(pod)
    .filter(isSo)
    .map(({ name }) => name);
}

/** Returns names as text: `container "a"`, `containers "a", "b"`. */
export function called(what: string, names: readonly string[]): string {
  return `${plural(what, names.length)} ${quoted(names)}`;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(", ");
}

/** Returns distinct texts, sorted. */
export function distinct(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted();
}

/** Returns who sets a field: the pod, containers, or both. */
export function setters(isPod: boolean, containers: readonly string[]): string {
  return [
    ...(isPod ? ["pod"] : []),
    ...(containers.length > 0 ? [called("container", containers)] : []),
  ].join(" and ");
}

export function isWindows({ spec }: CheckedPod): boolean {
  return spec.os?.name === "windows";
}

/** Returns whether a pod has a user namespace, whose root is unprivileged on the machine. */
export function hasOwnUsers({ spec }: CheckedPod): boolean {
  return spec.hostUsers === false;
}

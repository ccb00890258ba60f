// What a check of Pod Security is: of a level, since a version, and with what it says when it fails.
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
  /** The minor version since which it is made so, ascending. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** Checks of the level below that this one takes the place of. */
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

/** The names of the containers for which something is so. */
export function namesWhere(pod: CheckedPod, isSo: (one: AnyContainer) => boolean): string[] {
  return containersOf(pod)
    .filter(isSo)
    .map(({ name }) => name);
}

/** `container "a"`, `containers "a", "b"`. */
export function called(what: string, names: readonly string[]): string {
  return `${plural(what, names.length)} ${quoted(names)}`;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(", ");
}

/** Each once, sorted. */
export function distinct(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted();
}

/** Who sets something: the pod, containers, or both. */
export function setters(isPod: boolean, containers: readonly string[]): string {
  return [
    ...(isPod ? ["pod"] : []),
    ...(containers.length > 0 ? [called("container", containers)] : []),
  ].join(" and ");
}

export function isWindows({ spec }: CheckedPod): boolean {
  return spec.os?.name === "windows";
}

/** Root of a user namespace is nobody on the machine. */
export function hasOwnUsers({ spec }: CheckedPod): boolean {
  return spec.hostUsers === false;
}

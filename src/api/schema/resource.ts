// What the API tells of a resource, and the short form of a row in the list of all.

import type { GroupVersionKind } from "./registry.ts";

export interface Resource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
}

export interface Subresource extends GroupVersionKind {
  /** The last part of the path, e.g. `status`. */
  readonly name: string;
  readonly verbs: readonly Verb[];
}

export type Verb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch";

/** The verbs of an ordinary resource. */
export const everyVerb: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
export type SubresourceRow = Omit<Subresource, "group" | "version" | "kind"> &
  Partial<GroupVersionKind>;

export interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: true;
  readonly verbs?: readonly Verb[];
  readonly sub?: readonly SubresourceRow[];
}

/** Returns the resources of one group and version. Rows without verbs have all of them. */
export function serve(group: string, version: string, rows: readonly Row[]): Resource[] {
  return rows.map(({ kind, plural, short, categories, cluster, verbs, sub }) => ({
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: short ?? [],
    categories: categories ?? [],
    namespaced: cluster !== true,
    verbs: verbs ?? everyVerb,
    subresources: (sub ?? []).map((row) => ({ group, version, kind, ...row })),
  }));
}

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A patch in one of three formats. */
export type Patch<M = object> =
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly merge: M }
  /** A strategic merge patch, in which lists merge by key; custom resources do not support it. */
  | { readonly strategic: object };

export function wireOf(patch: Patch): { body: unknown; contentType: string } {
  if ("json" in patch) return { body: patch.json, contentType: "application/json-patch+json" };
  if ("merge" in patch) return { body: patch.merge, contentType: "application/merge-patch+json" };
  return { body: patch.strategic, contentType: "application/strategic-merge-patch+json" };
}

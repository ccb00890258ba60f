// An admission request: what policies and webhooks learn of a change before it is made.
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import type { User } from "../../access.ts";
import type { ServedResource } from "../../resources/served.ts";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  /** The resource, in the version that the client used. */
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  /** The kind of the objects; a subresource such as `scale` has one of its own. */
  readonly kind: GroupVersionKind;
  /** The namespace; for a Namespace its own name, for other cluster-scoped objects empty. */
  readonly namespace: string;
  /** The name; empty when the server is to generate it. */
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  /** The options of the operation: CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: ApiObject;
  /** The new object, in its stored form; absent when it is deleted. */
  readonly object: ApiObject | undefined;
  /** The stored object; absent when it is created. */
  readonly oldObject: ApiObject | undefined;
  /** The warnings for the client; admission adds to them. */
  readonly warnings: string[];
  /** The annotations for the audit log; admission adds to them. */
  readonly annotations: Record<string, string>;
}

/** The version of a resource whose rules matched: the objects are shown in that version. */
export interface MatchedResource {
  readonly resource: ServedResource;
  readonly kind: GroupVersionKind;
}

/** Returns an object of the request in the version that was matched. */
export function shown(
  { resource }: MatchedResource,
  request: AdmissionRequest,
  object: ApiObject | undefined,
): ApiObject | undefined {
  if (object === undefined || hasOwnKind(request)) return object;
  return resource.conversion?.fromStored(structuredClone(object)) ?? object;
}

/** Returns a shown object in its stored form. */
export function unshown(
  { resource }: MatchedResource,
  request: AdmissionRequest,
  object: ApiObject,
): ApiObject {
  return hasOwnKind(request) ? object : (resource.conversion?.toStored(object) ?? object);
}

/** Returns whether the objects of a request are of another kind than the resource's. */
export function hasOwnKind({ kind, resource }: AdmissionRequest): boolean {
  return kind.kind !== resource.kind;
}

// Ownership: the controller of an object is the one owner that manages it.

import type { Index } from "../../../api/client/informer.ts";
import type { ApiObject, Place } from "../../../api/client/objects.ts";
import type { NamespacedMeta, OwnerReference } from "../../../api/types/meta.ts";

/** The common part of workloads and their children. */
export interface Namespaced extends ApiObject {
  metadata: NamespacedMeta;
}

export function placeOf<T extends Namespaced>({ metadata }: T): Place<T> {
  const { namespace, name } = metadata;
  return { namespace, name } as Place<T>;
}

export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Returns the key of the controller, if it is of this kind. */
export function controllerKey(object: Namespaced, kind: string): string | undefined {
  const owner = controllerOf(object);
  return owner?.kind === kind ? `${object.metadata.namespace}/${owner.name}` : undefined;
}

export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** Indexes objects by the uid of their controller, or as orphans of their namespace. */
export const byController: Index<Namespaced> = (object) => [
  controllerOf(object)?.uid ?? orphansIn(object.metadata.namespace),
];

/** Returns the value of `byController` for objects without a controller. */
export function orphansIn(namespace: string): string {
  return `orphans in ${namespace}`;
}

export function referenceTo({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  const { name, uid = "" } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export interface Claim<T> {
  /** The objects that are owned already, or are to be adopted. */
  readonly kept: readonly T[];
  readonly adopt: readonly T[];
  /** The owned objects that the selector no longer matches. */
  readonly release: readonly T[];
}

/** Decides what an owner claims: its own objects and orphans, as long as its selector matches. */
export function claim<T extends ApiObject>(
  owner: ApiObject,
  objects: readonly T[],
  isMeant: (object: T) => boolean,
): Claim<T> {
  const result = { kept: [] as T[], adopt: [] as T[], release: [] as T[] };
  const isEnding = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const controller = controllerOf(object);
    if (controller === undefined) {
      const isFree = object.metadata.deletionTimestamp === undefined && !isEnding;
      if (!isFree || !isMeant(object)) continue;
      result.adopt.push(object);
      result.kept.push(object);
    } else if (controller.uid === owner.metadata.uid) {
      if (isMeant(object)) result.kept.push(object);
      else if (!isEnding) result.release.push(object);
    }
  }
  return result;
}

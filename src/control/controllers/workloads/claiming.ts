// Adopts objects without an owner, and releases those that no longer match.

import { isNotFound } from "../../../api/client/errors.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Children } from "./children.ts";
import { type Claim, type Namespaced, placeOf, referenceTo } from "./ownership.ts";
import { eachOf } from "./slow-start.ts";

export interface Claiming<O extends Namespaced, T extends Namespaced> {
  readonly owners: ResourceClient<O>;
  readonly children: Children<T>;
  /** The finalizer that an adopted object gets besides its owner. */
  readonly finalizer?: string;
}

/** Adopts and releases; returns `false` if the owner no longer exists. */
export async function carryOutClaim<O extends Namespaced, T extends Namespaced>(
  owner: O,
  { adopt, release }: Pick<Claim<T>, "adopt" | "release">,
  { owners, children, finalizer, signal }: Claiming<O, T> & { readonly signal: AbortSignal },
): Promise<boolean> {
  if (adopt.length > 0 && !(await isThere(owner, owners, signal))) return false;
  const adopted = await eachOf(adopt, async (object) => {
    const { ownerReferences = [], finalizers = [] } = object.metadata;
    const change = {
      ownerReferences: [...ownerReferences, referenceTo(owner)],
      ...(finalizer === undefined ? {} : { finalizers: [...new Set([...finalizers, finalizer])] }),
    };
    await children.patchMetadata(object, change, signal);
  });
  const released = await eachOf(release, async (object) => {
    const { ownerReferences = [], finalizers = [] } = object.metadata;
    const change = {
      ownerReferences: ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid),
      ...(finalizer === undefined
        ? {}
        : { finalizers: finalizers.filter((each) => each !== finalizer) }),
    };
    await children.patchMetadata(object, change, signal);
  });
  for (const { failure } of [adopted, released]) if (failure !== undefined) throw failure.error;
  return true;
}

/**
 * Whether the owner exists in the API. The cache may not know yet that it is gone, and what it adopts would
 * be deleted with it.
 */
async function isThere<O extends Namespaced>(
  owner: O,
  owners: ResourceClient<O>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { metadata } = await owners.get(placeOf(owner), { signal });
    return metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

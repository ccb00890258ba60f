// Maps a changed part of a workload to its owners.

import type { Informer } from "../../../api/client/informer.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import { controllerKey, controllerOf, type Namespaced } from "./ownership.ts";

export interface Owning<O extends Namespaced, T extends Namespaced> {
  readonly kind: string;
  /** Whether the owner would adopt the part. */
  readonly isMeant: (owner: O, part: T) => boolean;
}

/** Returns the key of the part's controller or, if it has none, of all that may adopt it. */
export function ownerKeys<O extends Namespaced, T extends Namespaced>(
  owners: Pick<Informer<O>, "by">,
  { kind, isMeant }: Owning<O, T>,
): (part: T) => string[] {
  return (part) => {
    if (controllerOf(part) !== undefined) return controllerKeys(part, kind);
    const candidates = owners.by(byNamespace, part.metadata.namespace);
    return candidates.filter((owner) => isMeant(owner, part)).map(keyOf);
  };
}

/** Returns the key of the part's controller, if that is of this kind. */
export function controllerKeys(part: Namespaced, kind: string): string[] {
  const key = controllerKey(part, kind);
  return key === undefined ? [] : [key];
}

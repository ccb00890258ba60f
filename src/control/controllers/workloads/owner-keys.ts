// Whom it concerns when a part of a workload changes.

import type { Informer } from "../../../api/client/informer.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import { controllerKey, controllerOf, type Namespaced } from "./ownership.ts";

export interface Owning<O extends Namespaced, T extends Namespaced> {
  readonly kind: string;
  /** Whether the owner would adopt it. */
  readonly isMeant: (owner: O, part: T) => boolean;
}

/** Its controller, or where it has none, whoever may adopt it. */
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

/** Its controller, if that is of this kind. */
export function controllerKeys(part: Namespaced, kind: string): string[] {
  const key = controllerKey(part, kind);
  return key === undefined ? [] : [key];
}

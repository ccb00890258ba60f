// Decides what to do with an object, given its owners and its dependents.

import type { OwnerReference } from "../../../api/types/meta.ts";
import type { GraphItem } from "./owner-graph.ts";

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/**
 * The state of an owner. `solid`: it exists. `waiting`: it exists until its dependents are gone. `absent`: it
 * does not exist. `unknown`: undecidable, so that nothing may rely on it.
 */
export type OwnerState = "solid" | "waiting" | "absent" | "unknown";

export interface Surroundings {
  readonly owners: ReadonlyMap<OwnerReference, OwnerState>;
  readonly dependents: readonly GraphItem[];
}

export type Decision =
  | { readonly do: "nothing" }
  /** Remove this owner from its dependents, then the finalizer. */
  | { readonly do: "orphan" }
  /** Examine the dependents and wait until they are gone. */
  | { readonly do: "wait"; readonly for: readonly GraphItem[] }
  | { readonly do: "finish"; readonly finalizer: string }
  | { readonly do: "setOwners"; readonly owners: readonly OwnerReference[] }
  | { readonly do: "delete"; readonly policy: "Background" | "Foreground" | "Orphan" };

export function decide(item: GraphItem, { owners, dependents }: Surroundings): Decision {
  if (item.isDeleting) return decideDeleting(item, dependents);
  if (item.owners.length === 0) return nothing;
  const states = [...owners.values()];
  if (states.includes("unknown")) return nothing;
  if (states.includes("solid")) {
    const kept = item.owners.filter((owner) => owners.get(owner) === "solid");
    return kept.length === item.owners.length ? nothing : { do: "setOwners", owners: kept };
  }
  if (states.includes("waiting") && dependents.length > 0) {
    // In a circle of owners every object would wait for the others.
    const isCircle = dependents.some((each) => isWaiting(each));
    const blocks = item.owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    if (isCircle && blocks) {
      const released = item.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      return { do: "setOwners", owners: released };
    }
    return { do: "delete", policy: "Foreground" };
  }
  return { do: "delete", policy: policyOf(item) };
}

/** Whether the object is being deleted, but stays until its dependents are gone. */
export function isWaiting({ isDeleting, finalizers }: GraphItem): boolean {
  return isDeleting && finalizers.includes(foregroundFinalizer);
}

const nothing: Decision = { do: "nothing" };

function decideDeleting(item: GraphItem, dependents: readonly GraphItem[]): Decision {
  if (item.finalizers.includes(orphanFinalizer)) {
    return dependents.length > 0 ? { do: "orphan" } : { do: "finish", finalizer: orphanFinalizer };
  }
  if (!item.finalizers.includes(foregroundFinalizer)) return nothing;
  const blocking = dependents.filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === item.uid && blockOwnerDeletion === true),
  );
  if (blocking.length > 0) return { do: "wait", for: dependents };
  return { do: "finish", finalizer: foregroundFinalizer };
}

/** Returns the propagation policy that was requested when the object was deleted. */
function policyOf({ finalizers }: GraphItem): "Background" | "Foreground" | "Orphan" {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

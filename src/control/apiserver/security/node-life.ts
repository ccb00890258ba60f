// Decides whether a node is alive and can speak for itself.

import type { Lease } from "../../../api/types/coordination.ts";
import type { Node } from "../../../api/types/core.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";

const namespace = "kube-node-lease";
const graceMs = 40_000;
/** The longest lease that counts: a node sets its own duration, and may be gone for good. */
const longestMs = 3_600_000;

/** Returns whether a node is alive, by its lease; without one, by its Ready condition. */
export function isAlive(node: SecurityObject, objects: ObjectReader, now: Date): boolean {
  const { metadata, status } = node as Node;
  const lease = objects.get("leases", namespace, metadata.name) as Lease | undefined;
  const renewed = Date.parse(lease?.spec?.renewTime ?? "");
  if (Number.isNaN(renewed)) {
    return (status?.conditions ?? []).some(
      (each) => each.type === "Ready" && each.status === "True",
    );
  }
  const toldMs = 1000 * (lease?.spec?.leaseDurationSeconds ?? 0);
  return now.getTime() - renewed < Math.min(longestMs, Math.max(graceMs, toldMs));
}

// Plans a deletion: the object is removed at once, or marked until its finalizers and grace period are over.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { asNumber } from "../../../base/json/integer.ts";
import type { Item } from "../cache/item.ts";
import { conflict } from "../errors.ts";
import type { ServedResource } from "../resources/served.ts";
import type { DeleteOptions } from "./delete-options.ts";
import type { Plan } from "./mutate.ts";

/** The latest time that can be formatted, for grace periods of up to 2^63 seconds. */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The finalizers of the garbage collector. */
const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

export function planDeletion(
  resource: ServedResource,
  item: Item,
  { options, now }: { options: DeleteOptions; now: Date },
): Plan {
  const object = item.parse();
  checkPreconditions(resource, item, { object, options });
  const metadata = (object.metadata ??= {});
  const finalizers = finalizersFor(metadata.finalizers ?? [], options.propagationPolicy);
  const grace = graceFor(resource, object, options);
  const isHeld = finalizers.length > 0 || resource.isHeld(object);
  if (!isHeld && grace === 0) return { type: "delete" };

  metadata.finalizers = finalizers;
  if (finalizers.length === 0) delete metadata.finalizers;
  const remaining = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = timestamp(
      new Date(Math.min(now.getTime() + 1000 * grace, latest)),
    );
    metadata.deletionGracePeriodSeconds = grace;
    if (resource.hasGeneration) metadata.generation = (metadata.generation ?? 0) + 1;
  } else if (remaining !== undefined && grace < remaining) {
    // A deletion under way can be sped up, but not slowed down.
    const started = Date.parse(metadata.deletionTimestamp) - 1000 * remaining;
    const wanted = Math.max(started + 1000 * grace, now.getTime());
    metadata.deletionTimestamp = timestamp(new Date(wanted));
    metadata.deletionGracePeriodSeconds = grace;
  }
  resource.markDeleting(object);
  return { type: "put", object };
}

function finalizersFor(
  present: readonly string[],
  policy: DeleteOptions["propagationPolicy"],
): string[] {
  if (policy === undefined) return [...present];
  const others = present.filter((each) => each !== orphanFinalizer && each !== foregroundFinalizer);
  if (policy === "Orphan") return [...others, orphanFinalizer];
  return policy === "Foreground" ? [...others, foregroundFinalizer] : others;
}

/** Returns the grace period; a kind without one gets none, whatever the request says. */
function graceFor(resource: ServedResource, object: ApiObject, options: DeleteOptions): number {
  const needed = resource.rules.gracePeriodSeconds?.(object) ?? 0;
  return needed === 0 ? 0 : asNumber(options.gracePeriodSeconds ?? needed);
}

function checkPreconditions(
  resource: ServedResource,
  item: Item,
  { object, options }: { object: ApiObject; options: DeleteOptions },
): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const found = object.metadata?.uid ?? "";
  if (uid !== undefined && uid !== found) {
    throw conflict(
      resource.groupResource,
      item.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== String(item.modified)) {
    throw conflict(
      resource.groupResource,
      item.name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${item.modified}`,
    );
  }
}

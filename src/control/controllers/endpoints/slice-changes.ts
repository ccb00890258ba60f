// Plans the writes that turn the present EndpointSlices into the wanted ones.

import type { Draft } from "../../../api/client/objects.ts";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import type { ObjectMeta } from "../../../api/types/meta.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { Family } from "../../../base/net/family.ts";
import { pack } from "./pack.ts";
import { portsKey } from "./ports-key.ts";
import type { SliceGroup } from "./slice-groups.ts";

const usualMaximum = 100;

export interface SliceChanges {
  readonly create: readonly Draft<EndpointSlice>[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

export interface SlicePlan {
  /** The groups that the slices of the service hold together. */
  readonly groups: readonly SliceGroup[];
  /** The present slices of this manager only. */
  readonly present: readonly EndpointSlice[];
  readonly owner: SliceOwner;
  /** Whether a name is taken by any slice. */
  readonly isTaken: (name: string) => boolean;
  /** The most endpoints per slice; 100 if not given. */
  readonly maximum?: number;
}

/** The parts that every slice of the service has in common. */
export interface SliceOwner {
  readonly namespace: string;
  readonly name: string;
  /** The metadata; annotations that are not given are left alone. */
  readonly metadata: Pick<ObjectMeta, "labels" | "annotations" | "ownerReferences">;
}

export function planSlices(plan: SlicePlan): SliceChanges {
  const { maximum = usualMaximum } = plan;
  const wanted = plan.groups.map((group) => ({ group, key: keyOfGroup(group) }));
  const bySlot = Map.groupBy(plan.present, keyOfSlice);
  const known = new Set(wanted.map(({ key }) => key));
  // Slices that are no longer needed are overwritten, rather than deleted while others are created.
  const spare = plan.present.filter((slice) => !known.has(keyOfSlice(slice)));
  const filled = wanted.flatMap(({ group, key }) => {
    const packed = pack(group.endpoints, bySlot.get(key) ?? [], maximum);
    spare.push(...packed.spare);
    return packed.bins.map((bin) => ({ bin, group }));
  });
  const create: Draft<EndpointSlice>[] = [];
  const update: EndpointSlice[] = [];
  const names = namesFor(plan);
  for (const { bin, group } of filled) {
    const slice = bin.slice ?? takeFamily(spare, group.family);
    if (slice === undefined) {
      const metadata = { ...plan.owner.metadata, name: names(group.family) };
      create.push(contentOf(bin, group, { ...metadata, namespace: plan.owner.namespace }));
    } else if (bin.slice === undefined || bin.isChanged || !hasMetadata(slice, plan.owner)) {
      const metadata = { ...slice.metadata, ...plan.owner.metadata };
      update.push({ ...slice, ...contentOf(bin, group, metadata) });
    }
  }
  return { create, update, delete: spare };
}

function contentOf(
  { endpoints }: { readonly endpoints: Endpoint[] },
  { family, ports }: SliceGroup,
  metadata: EndpointSlice["metadata"],
): Omit<EndpointSlice, "apiVersion" | "kind"> {
  return { metadata, addressType: family, endpoints, ports: [...ports] };
}

function takeFamily(spare: EndpointSlice[], family: Family): EndpointSlice | undefined {
  const index = spare.findIndex(({ addressType }) => addressType === family);
  return index < 0 ? undefined : spare.splice(index, 1)[0];
}

function hasMetadata({ metadata }: EndpointSlice, { metadata: wanted }: SliceOwner): boolean {
  return (
    sameJson(metadata.labels ?? {}, wanted.labels ?? {}) &&
    sameJson(metadata.ownerReferences ?? [], wanted.ownerReferences ?? []) &&
    (wanted.annotations === undefined || sameJson(metadata.annotations ?? {}, wanted.annotations))
  );
}

/**
 * Returns names by counting, not at random: a controller that acts on an old view of the slices tries a name
 * that exists, and is refused, rather than creating one slice too many.
 */
function namesFor({ owner, isTaken }: SlicePlan): (family: Family) => string {
  const next = new Map<Family, number>();
  return (family) => {
    for (let number = next.get(family) ?? 0; ; number++) {
      const name = `${owner.name}-${family.toLowerCase()}-${number}`;
      next.set(family, number + 1);
      if (!isTaken(name)) return name;
    }
  };
}

function keyOfGroup({ family, ports }: SliceGroup): string {
  return `${family} ${portsKey(ports)}`;
}

function keyOfSlice({ addressType, ports = [] }: EndpointSlice): string {
  return `${addressType} ${portsKey(ports)}`;
}

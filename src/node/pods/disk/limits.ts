// The limits of what a pod may keep on the node's disk, purely: those of its emptyDir volumes, of its containers
// (what they write over their image, and their logs), and of all together.

import { formatQuantity, nanosOf } from "../../../api/fields/quantity.ts";
import type { PodSpec } from "../../../api/types/core.ts";
import type { Refusal } from "../admission/refusal.ts";
import { type Slot, slotsOf } from "../decide/slots.ts";

/** What a pod uses on disk, in bytes by name. */
export interface DiskUsage {
  readonly volumes: ReadonlyMap<string, number>;
  readonly containers: ReadonlyMap<string, number>;
}

const resource = "ephemeral-storage";
const one = 1_000_000_000n;

/** Returns the emptyDir volumes whose size matters; those in memory are limited by their file system. */
export function weighedVolumes(spec: PodSpec): readonly string[] {
  const isAll = podLimit(spec) !== undefined;
  return diskVolumes(spec)
    .filter(({ limit }) => isAll || limit !== undefined)
    .map(({ name }) => name);
}

/** Returns the containers whose size matters: all of them as soon as one has a limit. */
export function weighedContainers(spec: PodSpec): readonly string[] {
  return podLimit(spec) === undefined ? [] : slotsOf(spec).map(({ name }) => name);
}

/** Returns why the pod must be evicted, in the kubelet's order and words. */
export function excessOf(spec: PodSpec, { volumes, containers }: DiskUsage): Refusal | undefined {
  for (const { name, limit } of diskVolumes(spec)) {
    if (limit === undefined || !isBeyond(volumes.get(name), nanosOf(limit))) continue;
    const quoted = `${JSON.stringify(name)} exceeds the limit ${JSON.stringify(limit)}`;
    return evicted(`Usage of EmptyDir volume ${quoted}. `);
  }
  const total = podLimit(spec);
  const used = [...volumes.values(), ...containers.values()].reduce((sum, each) => sum + each, 0);
  if (total !== undefined && isBeyond(used, total)) {
    const amount = formatQuantity({ nanos: total, notation: "binary" });
    return evicted(
      `Pod ephemeral local storage usage exceeds the total limit of containers ${amount}. `,
    );
  }
  for (const slot of slotsOf(spec)) {
    const limit = limitOf(slot);
    if (limit === undefined || !isBeyond(containers.get(slot.name), nanosOf(limit))) continue;
    return evicted(
      `Container ${slot.name} exceeded its local ephemeral storage limit ${JSON.stringify(limit)}. `,
    );
  }
  return undefined;
}

const evicted = (message: string): Refusal => ({ reason: "Evicted", message });

function isBeyond(bytes = 0, nanos: bigint): boolean {
  return BigInt(bytes) * one > nanos;
}

function diskVolumes({
  volumes = [],
}: PodSpec): readonly { readonly name: string; readonly limit: string | undefined }[] {
  return volumes.flatMap(({ name, emptyDir }) => {
    if (emptyDir === undefined || emptyDir.medium === "Memory") return [];
    const { sizeLimit = "0" } = emptyDir;
    return [{ name, limit: nanosOf(sizeLimit) > 0n ? sizeLimit : undefined }];
  });
}

function limitOf({ container }: Pick<Slot, "container">): string | undefined {
  const limit = container.resources?.limits?.[resource];
  return limit === undefined || nanosOf(limit) <= 0n ? undefined : limit;
}

/**
 * Returns the limit of the pod: the sum of those that run side by side, or what an init container has beside the
 * sidecars before it, if that is more. Containers without a limit add none, as the kubelet has it.
 */
function podLimit(spec: PodSpec): bigint | undefined {
  let [sidecars, running, starting] = [0n, 0n, 0n];
  let isLimited = false;
  for (const slot of slotsOf(spec)) {
    const limit = limitOf(slot);
    if (limit === undefined) continue;
    isLimited = true;
    const own = nanosOf(limit);
    if (slot.kind === "sidecar") sidecars += own;
    else if (slot.kind === "main") running += own;
    else if (sidecars + own > starting) starting = sidecars + own;
  }
  if (!isLimited) return undefined;
  const together = sidecars + running;
  return together > starting ? together : starting;
}

// Virtual addresses, at which a cluster with several control planes is reached through whichever survives.

import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { firstNodeOffset } from "../../install/ranges/ranges.ts";

export interface ControlPlaneSettings {
  /** The number of control planes: one, or an odd number, since etcd needs a majority. */
  readonly controlPlanes: number;
  /** Virtual addresses of the API and of ingress, one per family; only with several control planes. */
  readonly apiVips: readonly Address[];
  readonly ingressVips: readonly Address[];
}

interface Surroundings {
  readonly nodeCidr: readonly Prefix[];
  readonly families: readonly Family[];
}

export const mostControlPlanes = 5;
/** The offset of the first server in the nodes' ranges. */
export const firstServerOffset = 2n;
const usualOffsets = { apiVips: 8n, ingressVips: 9n } as const;

export function isHighlyAvailable({ controlPlanes }: ControlPlaneSettings): boolean {
  return controlPlanes > 1;
}

/**
 * Completes virtual addresses that were not given, in the families of those that were. Throws if they do not
 * fit.
 */
export function withVirtualAddresses<S extends ControlPlaneSettings>(
  settings: S,
  around: Surroundings,
): S {
  if (settings.controlPlanes % 2 === 0 || settings.controlPlanes > mostControlPlanes) {
    throw refused("controlPlanes", settings.controlPlanes, "there can be 1, 3 or 5");
  }
  if (!isHighlyAvailable(settings)) {
    for (const key of ["apiVips", "ingressVips"] as const) {
      if (settings[key].length === 0) continue;
      throw refused(key, settings[key], "virtual addresses are for several control planes");
    }
    return settings;
  }
  const named = [settings.apiVips, settings.ingressVips].find((vips) => vips.length > 0);
  const families = named?.map((vip) => vip.family) ?? around.families;
  const vipsOf = (key: keyof typeof usualOffsets): readonly Address[] =>
    settings[key].length > 0
      ? settings[key]
      : families.flatMap((family) =>
          around.nodeCidr
            .filter((range) => range.family === family)
            .map((range) => range.at(usualOffsets[key])),
        );
  const filled = { ...settings, apiVips: vipsOf("apiVips"), ingressVips: vipsOf("ingressVips") };
  checkVips("apiVips", filled, around);
  checkVips("ingressVips", filled, around);
  checkUses(filled);
  return filled;
}

function checkVips(
  key: keyof typeof usualOffsets,
  settings: ControlPlaneSettings,
  { nodeCidr }: Surroundings,
): void {
  const first = firstServerOffset + BigInt(settings.controlPlanes);
  const seen = new Set<Family>();
  for (const vip of settings[key]) {
    const range = nodeCidr.find((prefix) => prefix.contains(vip));
    const offset = range === undefined ? 0n : vip.offsetFrom(range.first);
    if (offset < first || offset >= firstNodeOffset) {
      const places = nodeCidr.map((each) => `${each.at(first)}-${each.at(firstNodeOffset - 1n)}`);
      throw refused(key, vip, `virtual addresses are among ${places.join(", ")}`);
    }
    if (seen.has(vip.family)) throw refused(key, vip, `there is one of ${vip.family} before it`);
    seen.add(vip.family);
  }
}

/** Checks what the Infrastructure object requires: as many virtual addresses for ingress as for the API. */
function checkUses({ apiVips, ingressVips }: ControlPlaneSettings): void {
  if (apiVips.length !== ingressVips.length) {
    const state = `there are as many as of apiVips=${apiVips.join()}`;
    throw refused("ingressVips", ingressVips, state);
  }
  const shared = apiVips.find((vip) => ingressVips.some((other) => other.equals(vip)));
  if (shared !== undefined) throw refused("ingressVips", shared, "it is one of apiVips, too");
}

function refused(key: string, value: unknown, state: string): UsageError {
  return new UsageError(`Cannot use ${key}=${String(value)}: ${state}`);
}

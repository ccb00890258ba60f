import type { Commands } from "../../../base/host/command.ts";
import { isNotInstalled, isNotSupported } from "../../../base/host/error.ts";
import { systemIptables } from "../../../base/host/iptables.system.ts";
import { systemNft } from "../../../base/host/nft.system.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { systemIpvsAdmin } from "../ipvs/ipvs-admin.system.ts";
import { usesLegacyTables } from "../legacy-tables.ts";
import type { KernelPlace, ReadPlaces } from "./kernel-place.ts";
import { iptablesReader } from "./read-iptables.ts";
import { ipvsReader } from "./read-ipvs.ts";
import { nftablesReader } from "./read-nftables.ts";

export interface ShownPlace extends KernelPlace {
  /** The proxy mode that wrote the frontend. */
  readonly mode: string;
}

/** Returns the frontends of a service (`namespace/name`) in the kernel, of every proxy mode. */
export async function showService(
  service: string,
  commands: Commands,
): Promise<readonly ShownPlace[]> {
  const shown: ShownPlace[] = [];
  for (const [mode, open] of Object.entries(readers)) {
    for (const family of families) {
      const places = await readIfAny(await open(commands, family), service);
      shown.push(...places.map((place) => ({ mode, ...place })));
    }
  }
  return shown.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** Returns the sort key of a frontend; node ports come last. */
function orderOf({ mode, family, address = "~", protocol, port }: ShownPlace): string {
  return [mode, family, address, port, protocol].join(" ");
}

type OpenReader = (commands: Commands, family: Family) => Promise<ReadPlaces>;

const readers: Readonly<Record<string, OpenReader>> = {
  nftables: async (commands, family) => nftablesReader(systemNft(commands), family),
  "iptables-nft": async (commands, family) =>
    iptablesReader(systemIptables(commands, { family, variant: "nft" })),
  "iptables-legacy": async (commands, family) =>
    (await usesLegacyTables(commands, family))
      ? iptablesReader(systemIptables(commands, { family, variant: "legacy" }))
      : async () => [],
  ipvs: async (commands, family) =>
    ipvsReader({ nft: systemNft(commands), admin: systemIpvsAdmin(commands) }, family),
};

/**
 * Reads the frontends of one mode; a mode whose tools are not installed or not supported has written
 * none.
 */
async function readIfAny(read: ReadPlaces, service: string): Promise<readonly KernelPlace[]> {
  try {
    return await read(service);
  } catch (error) {
    if (isNotInstalled(error) || isNotSupported(error)) return [];
    throw error;
  }
}

// The proxy modes: the ways to bring services into the kernel. To add one: a record in `ways`, which running,
// showing and cleaning up go through.

import type { Commands } from "../../base/host/command.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemIptables } from "../../base/host/iptables.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { sessionNft } from "../../base/host/nft-session.system.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import type { Family } from "../../base/net/family.ts";
import { iptablesProxier } from "./iptables/proxier.ts";
import { systemIpvsAdmin } from "./ipvs/ipvs-admin.system.ts";
import { ipvsProxier } from "./ipvs/proxier.ts";
import { usesLegacyTables } from "./legacy-tables.ts";
import { nftablesProxier } from "./nftables/proxier.ts";
import type { FamilySettings } from "./plan/frontend.ts";
import type { Proxier } from "./proxier.ts";
import type { ReadPlaces } from "./show/kernel-place.ts";
import { iptablesReader } from "./show/read-iptables.ts";
import { ipvsReader } from "./show/read-ipvs.ts";
import { nftablesReader } from "./show/read-nftables.ts";

export const proxyModes = ["nftables", "iptables", "ipvs"] as const;
export const iptablesVariants = ["nft", "legacy"] as const;

export type ProxyMode = (typeof proxyModes)[number];
export type IptablesVariant = (typeof iptablesVariants)[number];

/** The tools by which proxiers reach the kernel. */
export interface ProxierTools {
  readonly commands: Commands;
  /** The signal that ends programs which stay open between calls. */
  readonly signal: AbortSignal;
}

export type OpenProxier = (settings: FamilySettings) => Proxier;

/** A proxy mode, or a variant of one, with all that depends on it. */
export interface Way {
  readonly mode: ProxyMode;
  /** The variant of the mode, where there are several. */
  readonly variant?: IptablesVariant;
  open(tools: ProxierTools): OpenProxier;
  /** Returns the reader of what the mode has written. */
  read(commands: Commands, family: Family): ReadPlaces;
  /** Whether the kernel has anything of this kind; asking is cheaper, and changes less, than reading. */
  isUsed?(commands: Commands, family: Family): Promise<boolean>;
}

export const ways: readonly Way[] = [
  {
    mode: "nftables",
    open: ({ commands, signal }) => {
      const nft = systemNft(commands);
      // Each family has a session of its own, so that neither waits for the other.
      const sessions: Readonly<Record<Family, typeof nft>> = {
        IPv4: sessionNft(nft, commands, signal),
        IPv6: sessionNft(nft, commands, signal),
      };
      return (settings) => nftablesProxier({ nft: sessions[settings.family], settings });
    },
    read: (commands, family) => nftablesReader(systemNft(commands), family),
  },
  iptablesWay("nft"),
  { ...iptablesWay("legacy"), isUsed: usesLegacyTables },
  {
    mode: "ipvs",
    open: ({ commands }) => {
      const tools = {
        admin: systemIpvsAdmin(commands),
        ip: systemIp(commands),
        nft: systemNft(commands),
        sysctl: systemSysctl(commands),
      };
      return (settings) => ipvsProxier({ ...tools, settings });
    },
    read: (commands, family) =>
      ipvsReader({ nft: systemNft(commands), admin: systemIpvsAdmin(commands) }, family),
  },
];

/** Opens the proxiers of a mode; `iptablesVariant` matters to iptables alone. */
export function proxierOpener(
  mode: ProxyMode,
  { iptablesVariant, ...tools }: ProxierTools & { readonly iptablesVariant: IptablesVariant },
): OpenProxier {
  const way = ways.find(
    (one) => one.mode === mode && (one.variant ?? iptablesVariant) === iptablesVariant,
  );
  if (way === undefined) throw new Error(`Cannot open a proxy: there is no mode ${mode}`);
  return way.open(tools);
}

function iptablesWay(variant: IptablesVariant): Way {
  return {
    mode: "iptables",
    variant,
    open:
      ({ commands }) =>
      (settings) => {
        const iptables = systemIptables(commands, { family: settings.family, variant });
        return iptablesProxier({ iptables, settings });
      },
    read: (commands, family) => iptablesReader(systemIptables(commands, { family, variant })),
  };
}

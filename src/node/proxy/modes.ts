// The proxy modes: the ways to bring services into the kernel. To add one: a line in `openers`.

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
import { nftablesProxier } from "./nftables/proxier.ts";
import type { FamilySettings } from "./plan/frontend.ts";
import type { Proxier } from "./proxier.ts";

export const iptablesVariants = ["nft", "legacy"] as const;

export type IptablesVariant = (typeof iptablesVariants)[number];

/** The tools by which proxiers reach the kernel. */
export interface ProxierTools {
  readonly commands: Commands;
  readonly iptablesVariant: IptablesVariant;
  /** The signal that ends programs which stay open between calls. */
  readonly signal: AbortSignal;
}

export type OpenProxier = (settings: FamilySettings) => Proxier;

export type ProxyMode = keyof typeof openers;

const openers = {
  nftables: ({ commands, signal }) => {
    const nft = systemNft(commands);
    // Each family has a session of its own, so that neither waits for the other.
    const sessions: Readonly<Record<Family, typeof nft>> = {
      IPv4: sessionNft(nft, commands, signal),
      IPv6: sessionNft(nft, commands, signal),
    };
    return (settings) => nftablesProxier({ nft: sessions[settings.family], settings });
  },
  iptables:
    ({ commands, iptablesVariant: variant }) =>
    (settings) => {
      const iptables = systemIptables(commands, { family: settings.family, variant });
      return iptablesProxier({ iptables, settings });
    },
  ipvs: ({ commands }) => {
    const tools = {
      admin: systemIpvsAdmin(commands),
      ip: systemIp(commands),
      nft: systemNft(commands),
      sysctl: systemSysctl(commands),
    };
    return (settings) => ipvsProxier({ ...tools, settings });
  },
} satisfies Record<string, (tools: ProxierTools) => OpenProxier>;

export const proxyModes = Object.keys(openers) as readonly ProxyMode[];

export function proxierOpener(mode: ProxyMode, tools: ProxierTools): OpenProxier {
  return openers[mode](tools);
}

// `--host-access`: a veth pair from this machine to the cluster's LAN, and routes to its pods and services.

import { createHash } from "node:crypto";
import type { Node } from "../../api/types/core.ts";
import type { Commands } from "../../base/host/command.ts";
import { isNotFound } from "../../base/host/error.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import type { Ip } from "../../base/host/ip.ts";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { firstNodeOffset } from "../../install/ranges/ranges.ts";
import type { ClusterSettings } from "./settings.ts";

/**
 * Returns the name of the machine's interface; long names become a hash, since the kernel takes 15
 * characters.
 */
export function hostLink(name: string): string {
  const short =
    name.length <= 12 ? name : createHash("sha256").update(name).digest("hex").slice(0, 12);
  return `td-${short}`;
}

/** The offset of the machine's own address on the LAN, the last one before the nodes. */
const hostOffset = firstNodeOffset - 1n;

/** Throws, before anything is made, if the machine has a route to one of the cluster's ranges already. */
export async function checkHostRoutes(settings: ClusterSettings, ip: Ip): Promise<void> {
  for (const [key, prefixes] of rangesOf(settings)) {
    for (const prefix of prefixes) {
      const routes = await ip.routes(prefix.family);
      const clash = routes.find(
        ({ destination }) => destination.length > 0 && destination.overlaps(prefix),
      );
      if (clash === undefined) continue;
      const link = clash.nextHops[0]?.link ?? "nowhere";
      throw new Error(
        `Cannot give this machine access to ${key}=${prefix}: it has a route to ${clash.destination} (${link})`,
      );
    }
  }
}

/**
 * Connects this machine to the LAN. `init` is the first process of the enclosure, whose network is the
 * router's.
 */
export async function grantHostAccess(
  { settings, nodes, init }: { settings: ClusterSettings; nodes: readonly Node[]; init: number },
  commands: Commands,
): Promise<void> {
  const link = hostLink(settings.name);
  const ip = systemIp(commands);
  await ip.batch([
    `link add ${link} type veth peer name host netns ${init}`,
    ...settings.nodeCidr.map(
      (prefix) => `address add ${prefix.at(hostOffset)}/${prefix.length} dev ${link} nodad`,
    ),
    `link set ${link} up`,
  ]);
  const plug = "ip link set host master lan && ip link set host up";
  await commands.run(["nsenter", `--target=${init}`, "--net", "--", "sh", "-c", plug]);
  await ip.batch(hostRoutes(settings, nodes).map((route) => `route add ${route} dev ${link}`));
}

/** Removes the machine's interface. It would go with its peer, but the kernel may take a while for that. */
export async function revokeHostAccess(name: string, commands: Commands): Promise<void> {
  try {
    await systemIp(commands).batch([`link delete ${hostLink(name)}`]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Returns the routes of the machine: pods by way of their node, services by way of the first node. */
export function hostRoutes(
  { serviceCidr }: Pick<ClusterSettings, "serviceCidr">,
  nodes: readonly Node[],
): readonly string[] {
  const ways = nodes.map(({ spec, status }) => ({
    cidrs: (spec?.podCIDRs ?? []).map(Prefix.parse),
    addresses: (status?.addresses ?? [])
      .filter(({ type }) => type === "InternalIP")
      .map(({ address }) => Address.parse(address)),
  }));
  const via = (prefix: Prefix, addresses: readonly Address[]) => {
    const gateway = addresses.find(({ family }) => family === prefix.family);
    return gateway === undefined ? [] : [`${prefix} via ${gateway}`];
  };
  return [
    ...ways.flatMap(({ cidrs, addresses }) => cidrs.flatMap((cidr) => via(cidr, addresses))),
    ...serviceCidr.flatMap((cidr) => via(cidr, ways[0]?.addresses ?? [])),
  ];
}

function rangesOf({ podCidr, serviceCidr, nodeCidr }: ClusterSettings) {
  return Object.entries({ podCidr, serviceCidr, nodeCidr });
}

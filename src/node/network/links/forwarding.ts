// Kernel settings that a node needs to forward packets between its pods and the world.
import type { Sysctl } from "../../../base/host/sysctl.ts";
import type { Family } from "../../../base/net/family.ts";

interface ForwardingOptions {
  readonly families: readonly Family[];
  /** The links with the node's own addresses. */
  readonly uplinks: readonly string[];
  /**
   * Whether new links are those of pods, whose addresses are unique, so that they need no duplicate address
   * detection.
   */
  readonly newLinksAreOurs: boolean;
}

export async function prepareForwarding(sysctl: Sysctl, options: ForwardingOptions): Promise<void> {
  const keys = ["all", ...options.uplinks].flatMap((link) => [strictness(link), hearing(link)]);
  const values = await sysctl.read(keys);
  const present = new Map(keys.map((key, index) => [key, values[index] ?? ""]));
  await sysctl.write(forwardingSettings(present, options));
}

/** Returns the settings to write, given the present ones. */
export function forwardingSettings(
  present: ReadonlyMap<string, string>,
  { families, uplinks, newLinksAreOurs }: ForwardingOptions,
): Readonly<Record<string, number>> {
  const isSet = (key: string) => present.get(key) === "1";
  // Strict reverse path filters would drop answers of pods that come by another link than the requests went.
  const strict = uplinks.filter((link) => isSet(strictness("all")) || isSet(strictness(link)));
  // With forwarding, a machine accepts router advertisements only if accept_ra is 2.
  const heard = uplinks.filter((link) => isSet(hearing(link)));
  return {
    ...(families.includes("IPv4") && {
      "net/ipv4/ip_forward": 1,
      ...Object.fromEntries(strict.map((link) => [strictness(link), 2])),
    }),
    ...(families.includes("IPv6") && {
      ...Object.fromEntries(heard.map((link) => [hearing(link), 2])),
      "net/ipv6/conf/all/forwarding": 1,
      ...(newLinksAreOurs && { "net/ipv6/conf/default/accept_dad": 0 }),
    }),
  };
}

function strictness(link: string): string {
  return `net/ipv4/conf/${link}/rp_filter`;
}

function hearing(link: string): string {
  return `net/ipv6/conf/${link}/accept_ra`;
}

// The kernel settings a node needs to pass packets on between its pods and the world.
import type { Sysctl } from "../../../base/host/sysctl.ts";
import type { Family } from "../../../base/net/family.ts";

interface ForwardingOptions {
  readonly families: readonly Family[];
  /** Links with the node's own addresses. */
  readonly uplinks: readonly string[];
  /** Links made for pods come with addresses that nobody else has: they need not wait for a second. */
  readonly newLinksAreOurs: boolean;
}

export async function prepareForwarding(sysctl: Sysctl, options: ForwardingOptions): Promise<void> {
  const keys = ["all", ...options.uplinks].flatMap((link) => [strictness(link), hearing(link)]);
  const values = await sysctl.read(keys);
  const present = new Map(keys.map((key, index) => [key, values[index] ?? ""]));
  await sysctl.write(forwardingSettings(present, options));
}

/** What to write, given what is there. */
export function forwardingSettings(
  present: ReadonlyMap<string, string>,
  { families, uplinks, newLinksAreOurs }: ForwardingOptions,
): Readonly<Record<string, number>> {
  const isSet = (key: string) => present.get(key) === "1";
  // Answers of pods may come by another link than questions went: strict checks would drop them.
  const strict = uplinks.filter((link) => isSet(strictness("all")) || isSet(strictness(link)));
  // With forwarding, a machine hears no router advertisements any more unless it is told twice.
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

// The kernel settings a node needs to pass packets on between its pods and the world.
import type { Sysctl } from "../../../host/sysctl.ts";
import type { Family } from "../../../net/family.ts";

interface ForwardingOptions {
  readonly families: readonly Family[];
  /** Links with the node's own addresses. */
  readonly uplinks: readonly string[];
  /** Links made for pods come with addresses that nobody else has: they need not wait for a second. */
  readonly newLinksAreOurs: boolean;
}

export async function prepareForwarding(sysctl: Sysctl, options: ForwardingOptions): Promise<void> {
  const { families, uplinks, newLinksAreOurs } = options;
  if (families.includes("IPv4")) {
    await sysctl.write({ "net/ipv4/ip_forward": 1 });
    await loosen(sysctl, uplinks);
  }
  if (families.includes("IPv6")) {
    await keepAdvertisedRoutes(sysctl, uplinks);
    await sysctl.write({
      "net/ipv6/conf/all/forwarding": 1,
      ...(newLinksAreOurs && { "net/ipv6/conf/default/accept_dad": 0 }),
    });
  }
}

/** With forwarding, a machine hears no router advertisements any more unless it is told twice. */
async function keepAdvertisedRoutes(sysctl: Sysctl, uplinks: readonly string[]): Promise<void> {
  const keys = uplinks.map((link) => `net/ipv6/conf/${link}/accept_ra`);
  const values = await sysctl.read(keys);
  const heard = keys.filter((_, index) => values[index] === "1");
  await sysctl.write(Object.fromEntries(heard.map((key) => [key, 2])));
}

/** Answers of pods may come by another link than questions went: strict checks would drop them. */
async function loosen(sysctl: Sysctl, uplinks: readonly string[]): Promise<void> {
  const keys = ["all", ...uplinks].map((link) => `net/ipv4/conf/${link}/rp_filter`);
  const [all, ...own] = await sysctl.read(keys);
  const strict = keys.slice(1).filter((_, index) => all === "1" || own[index] === "1");
  await sysctl.write(Object.fromEntries(strict.map((key) => [key, 2])));
}

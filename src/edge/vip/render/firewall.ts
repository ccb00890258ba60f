import type { NftTable } from "../../../base/host/nft.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { VipSettings } from "../settings.ts";

export const firewallTable: NftTable = { family: "inet", name: "tandem_vip" };

/**
 * Renders the redirect of API connections from the VIPs this node holds to its load balancer: the API port
 * itself is the API server's on every address. The ruleset replaces the previous one as a whole.
 */
export function renderFirewall(vips: readonly Address[], settings: VipSettings): string {
  const { family, name } = firewallTable;
  const rules = vips.map((vip) => `    ${rule(vip, settings)}\n`).join("");
  const chain = (hook: string) =>
    `  chain ${hook} {\n    type nat hook ${hook} priority -100; policy accept;\n${rules}  }\n`;
  return (
    `add table ${family} ${name}\ndelete table ${family} ${name}\n` +
    `table ${family} ${name} {\n${chain("prerouting")}${chain("output")}}\n`
  );
}

const keyword: Readonly<Record<Family, string>> = { IPv4: "ip", IPv6: "ip6" };

function rule(vip: Address, { apiPort, balancerPort }: VipSettings): string {
  const ip = keyword[vip.family];
  const target = vip.family === "IPv6" ? `[${vip}]` : String(vip);
  return `fib daddr type local ${ip} daddr ${vip} tcp dport ${apiPort} dnat ${ip} to ${target}:${balancerPort}`;
}

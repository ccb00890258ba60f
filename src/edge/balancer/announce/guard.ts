import type { NftTable } from "../../../base/host/nft.ts";
import type { Address } from "../../../base/net/address.ts";
import { families } from "../../../base/net/family.ts";

export const guardTable: NftTable = { family: "inet", name: "tandem_balancer" };

const keywords = { IPv4: "ip", IPv6: "ip6" } as const;

/**
 * Rejects packets to a load balancer address that were not translated to an endpoint: they are for no
 * service, and must not reach programs of the node that listen on all addresses.
 */
export function guardScript(addresses: readonly Address[]): string {
  const { family, name } = guardTable;
  const rules = families.flatMap((each) => {
    const own = addresses.filter((address) => address.family === each).toSorted(byOrder);
    return own.length === 0 ? [] : [`${keywords[each]} daddr { ${own.join(", ")} } reject`];
  });
  return [
    `add table ${family} ${name}`,
    `delete table ${family} ${name}`,
    `table ${family} ${name} {`,
    "  chain input {",
    "    type filter hook input priority filter; policy accept;",
    "    meta l4proto { icmp, icmpv6 } accept",
    ...rules.map((rule) => `    ${rule}`),
    "  }",
    "}",
    "",
  ].join("\n");
}

function byOrder(a: Address, b: Address): number {
  return a.compare(b);
}

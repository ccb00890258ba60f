// The addresses of a node at which it serves node ports.

import { bitsOf, type Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { FamilySettings } from "./frontend.ts";
import type { NodeFacts } from "./node.ts";

/**
 * The choice of addresses: the node's first of each family, all that it has, or those within some
 * prefixes.
 */
export type NodePortAddresses = "primary" | "all" | readonly Prefix[];

/**
 * Returns the settings of node ports. Loopback addresses are served only where a prefix names them, and
 * only in IPv4: the kernel accepts replies to ::1 on no other device than the loopback one.
 */
export function nodePortSettings(
  choice: NodePortAddresses,
  { family, node }: { family: Family; node: NodeFacts },
): Pick<FamilySettings, "nodePortPrefixes" | "servesLoopback"> {
  if (choice === "all") return { nodePortPrefixes: [everything[family]], servesLoopback: false };
  if (choice === "primary") {
    const primary = node.addresses.find((address) => address.family === family);
    const prefixes = primary === undefined ? [] : [Prefix.of(primary, bitsOf(family))];
    return { nodePortPrefixes: prefixes, servesLoopback: false };
  }
  const chosen = choice.filter((prefix) => prefix.family === family);
  const servesLoopback = chosen.some((prefix) => loopback.contains(prefix));
  return { nodePortPrefixes: chosen, servesLoopback };
}

const everything: Readonly<Record<Family, Prefix>> = {
  IPv4: Prefix.parse("0.0.0.0/0"),
  IPv6: Prefix.parse("::/0"),
};

const loopback = Prefix.parse("127.0.0.0/8");

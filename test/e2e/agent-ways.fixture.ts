// The state that agents of two nodes must have before pods of one reach pods of the other.

import { systemNft } from "../../src/base/host/nft.system.ts";
import { families } from "../../src/base/net/family.ts";
import { masqueradeTable } from "../../src/node/network/links/masquerade.ts";
import type { AgentNode } from "./agent.fixture.ts";

/**
 * Whether a node has routes to pods of others, in each family, and does not masquerade its pods towards
 * the other node.
 */
export async function leads({ host }: AgentNode, other: AgentNode): Promise<boolean> {
  const all = await Promise.all(families.map((family) => host.ip.routes(family)));
  const rules = (await systemNft(host.commands).text(masqueradeTable)).split(/[\s,{}-]+/);
  return (
    other.addresses.every((address) => rules.includes(address)) &&
    all.every((routes) => routes.some(({ protocol }) => protocol === "84"))
  );
}

// What the agents of two nodes must have learnt of each other before pods of the one reach the other.

import { systemNft } from "../../src/base/host/nft.system.ts";
import { families } from "../../src/base/net/family.ts";
import { masqueradeTable } from "../../src/node/network/links/masquerade.ts";
import type { AgentNode } from "./agent.fixture.ts";

/** Whether a node has a way to pods of others, of each family, and lets the other see its own as they are. */
export async function leads({ host }: AgentNode, other: AgentNode): Promise<boolean> {
  const all = await Promise.all(families.map((family) => host.ip.routes(family)));
  const rules = (await systemNft(host.commands).text(masqueradeTable)).split(/[\s,{}-]+/);
  return (
    other.addresses.every((address) => rules.includes(address)) &&
    all.every((routes) => routes.some(({ protocol }) => protocol === "84"))
  );
}

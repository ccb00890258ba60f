import type { CallOptions } from "../../base/host/command.ts";
import type { Nft } from "../../base/host/nft.ts";
import { families } from "../../base/net/family.ts";
import { tableOf } from "./nftables/words.ts";

/** Removes the policy tables of both families from the kernel. */
export async function cleanUp(nft: Nft, options?: CallOptions): Promise<void> {
  for (const family of families) await nft.deleteTable(tableOf(family), options);
}

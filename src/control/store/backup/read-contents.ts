import { type StoreAddress } from "../address.ts";
import { readEmbedded } from "../embedded/read-only.system.ts";
import { readEtcd } from "../etcd/read-all.ts";
import { etcdOptionsOf } from "../open.system.ts";
import type { Contents } from "./contents.ts";

/** Reads all that a store holds, which others may have open. */
export async function readContents(address: StoreAddress): Promise<Contents> {
  if (address.type === "embedded") return readEmbedded(address.directory);
  return readEtcd(await etcdOptionsOf(address));
}

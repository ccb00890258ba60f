import { readFile } from "node:fs/promises";
import { defined } from "../../base/json/defined.ts";
import { parseStoreAddress, type StoreAddress } from "./address.ts";
import { type EmbeddedOptions, openEmbedded } from "./embedded/open.system.ts";
import { type EtcdStoreOptions, openEtcd } from "./etcd/open.ts";
import type { Store } from "./port.ts";

/** Opens the store that an address names (see `parseStoreAddress`), or that options describe. */
export async function openStore(
  where: string | EmbeddedOptions | EtcdStoreOptions,
): Promise<Store> {
  if (typeof where === "string") return openAddress(parseStoreAddress(where));
  return "directory" in where ? openEmbedded(where) : openEtcd(where);
}

async function openAddress(address: StoreAddress): Promise<Store> {
  return address.type === "embedded"
    ? openEmbedded(address)
    : openEtcd(await etcdOptionsOf(address));
}

/** Returns the options of an address, with the contents of the files that it names; certificates may be renewed. */
export async function etcdOptionsOf(
  address: Extract<StoreAddress, { type: "etcd" }>,
): Promise<EtcdStoreOptions> {
  const { files, user, endpoints, prefix } = address;
  const read = async (path: string | undefined): Promise<string | undefined> =>
    path === undefined ? undefined : readFile(path, "utf8");
  const tls = async () => {
    const [ca, cert, key] = await Promise.all([files.ca, files.cert, files.key].map(read));
    return { ca, cert, key };
  };
  const [password] = await Promise.all([read(files.passwordFile), tls()]);
  return {
    endpoints,
    tls,
    user: user && { ...user, password: password?.trimEnd() ?? user.password },
    ...defined({ prefix }),
  };
}

import { EtcdClient, type EtcdOptions } from "../../../base/etcd/client.ts";
import { systemClock } from "../../../base/host/clock.system.ts";
import type { Store } from "../port.ts";
import { translated } from "./errors.ts";
import { EtcdStore } from "./store.ts";

export interface EtcdStoreOptions extends EtcdOptions {
  /** The prefix of every key; a slash at its end is ignored. `/tandem` when not given. */
  readonly prefix?: string;
}

/** Opens the store; throws if no member of etcd answers. */
export async function openEtcd(options: EtcdStoreOptions): Promise<Store> {
  const { prefix = "/tandem", clock = systemClock, ...rest } = options;
  const client = new EtcdClient({ ...rest, clock });
  const store = new EtcdStore({ client, clock, prefix: prefix.replace(/\/+$/, "") });
  try {
    await translated("open the store", () => client.range({ key: prefix, keysOnly: true }));
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

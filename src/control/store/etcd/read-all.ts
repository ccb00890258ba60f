// Reads what a store on etcd holds, at one revision.

import { EtcdClient, prefixEnd } from "../../../base/etcd/client.ts";
import type { Contents, KeptEntry } from "../backup/contents.ts";
import { toEntry } from "./entries.ts";
import { translated } from "./errors.ts";
import type { EtcdStoreOptions } from "./open.ts";

/** The number of entries per request, each of which may be a megabyte. */
const pageSize = 100;

/** Reads the newest state; entries with a lease, which expire by themselves, are left out. */
export async function readEtcd(options: EtcdStoreOptions): Promise<Contents> {
  const { prefix: given = "/tandem", ...rest } = options;
  const prefix = given.replace(/\/+$/, "");
  const client = new EtcdClient(rest);
  const read = (key: string, revision?: number) =>
    translated("read", () =>
      client.range({ key, rangeEnd: prefixEnd(`${prefix}/`), limit: pageSize, revision }),
    );
  const first = await read(`${prefix}/`);
  const revision = first.header?.revision ?? 0;
  return {
    revision,
    async *entries(): AsyncGenerator<KeptEntry> {
      let page = first;
      for (;;) {
        for (const kv of page.kvs) if (kv.lease === 0) yield toEntry(prefix, kv);
        const last = page.kvs.at(-1);
        if (!page.more || last === undefined) return;
        page = await read(`${last.key}\0`, revision);
      }
    },
    close: () => client.close(),
  };
}

// The registry of living API servers: each has a key in the store that expires unless it is renewed.
import { isObject } from "../../../base/json/value.ts";
import type { Store } from "../../store/store.ts";

/** The addresses and the port of a server. */
export interface Announcement {
  /** The addresses: at most one per family, none of them loopback. */
  readonly addresses: readonly string[];
  readonly port: number;
}

const prefix = "/apiservers/";
/** The lifetime of a key, long enough for several failed renewals. */
const ttlSeconds = 15;

export async function announce(
  store: Store,
  id: string,
  announcement: Announcement,
): Promise<void> {
  const value = Buffer.from(JSON.stringify(announcement));
  const operations = [{ type: "put" as const, key: prefix + id, value, ttlSeconds }];
  await store.commit({ compare: [], operations });
}

export async function withdraw(store: Store, id: string): Promise<void> {
  await store.commit({ compare: [], operations: [{ type: "delete", key: prefix + id }] });
}

export async function liveServers(store: Store): Promise<Announcement[]> {
  const { entries } = await store.list(prefix);
  return entries.flatMap(({ value }) => {
    const announcement: unknown = JSON.parse(Buffer.from(value).toString());
    return isAnnouncement(announcement) ? [announcement] : [];
  });
}

function isAnnouncement(value: unknown): value is Announcement {
  return isObject(value) && Array.isArray(value["addresses"]) && typeof value["port"] === "number";
}

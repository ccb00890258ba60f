import { EtcdClient, prefixEnd } from "../../../../base/etcd/client.ts";
import { EtcdError, isUnavailable, isUnknownOutcome } from "../../../../base/etcd/errors.ts";
import type { EtcdSettings } from "../../config/datastore.ts";
import { IpamError } from "../../errors.ts";
import { type Backend, Optimistic, type SlicesRead } from "../optimistic/optimistic.ts";
import { systemChance } from "../optimistic/persist.ts";
import type { DatastoreParts } from "../parts.ts";
import {
  byPoolAndAddress,
  type Datastore,
  type Reservation,
  type Scope,
  type Slice,
  type SliceTable,
} from "../port.ts";
import { spacesOf } from "../spaces.ts";
import { EtcdLedger } from "./etcd-ledger.ts";
import { holderPrefixes, ownersPrefix, slicesKey, spaceKey } from "./keys.ts";
import { readTls } from "./tls.system.ts";
import { decodeReservation, decodeSlices, encodeSlices } from "./values.ts";

/** Opens the datastore of many machines in etcd. */
export function openEtcd(settings: EtcdSettings, parts: DatastoreParts): Datastore {
  const { endpoints, username, password = "" } = settings;
  const tls = readTls(settings);
  const user = username === undefined ? undefined : { name: username, password };
  return etcdDatastore(new EtcdClient({ endpoints, tls, user, timeoutMs: patienceMs }), parts);
}

/** The part of the client that the datastore uses. */
type UsedClient = Pick<EtcdClient, "range" | "txn" | "close">;

export function etcdDatastore(client: UsedClient, parts: DatastoreParts): Datastore {
  return new Optimistic(new EtcdBackend(client), systemChance(parts));
}

/**
 * The timeout of requests to etcd: a CNI runtime waits meanwhile, and repeats a call that says "try again
 * later".
 */
const patienceMs = 5_000;
/**
 * The decisions per transaction: etcd takes 128 operations, and a decision on two ranges needs four to
 * eight.
 */
const decisionsPerTransaction = 12;
const pageSize = 1000;

class EtcdBackend implements Backend<EtcdLedger> {
  readonly batchLimit = decisionsPerTransaction;
  readonly #client: UsedClient;

  constructor(client: UsedClient) {
    this.#client = client;
  }

  async read(scopes: readonly Scope[]): Promise<EtcdLedger> {
    const ledger = new EtcdLedger();
    const prefixes = scopes.flatMap(({ holder }) => (holder ? holderPrefixes(holder) : []));
    await this.#load(ledger, {
      prefixes,
      keys: scopes.flatMap(({ pools }) => pools.flatMap(spacesOf)).map(spaceKey),
    });
    // The holder may have addresses in pools that the scope does not name.
    const others = [...ledger.reservations].flatMap(({ pool }) => spacesOf(pool)).map(spaceKey);
    await this.#load(ledger, { prefixes: [], keys: others.filter((key) => !ledger.knows(key)) });
    return ledger;
  }

  async commit(ledger: EtcdLedger): Promise<boolean> {
    try {
      return (await this.#client.txn(ledger.transaction())).succeeded;
    } catch (error) {
      // The transaction may have been stored: the next read shows.
      if (isUnknownOutcome(error)) return false;
      throw toIpamError(error);
    }
  }

  /** Nothing is left to do after etcd's transaction. */
  async finish(): Promise<boolean> {
    return true;
  }

  async reservations(): Promise<Reservation[]> {
    const reservations: Reservation[] = [];
    const rangeEnd = prefixEnd(ownersPrefix);
    for (let key = ownersPrefix, more = true; more; ) {
      const page = await attempt(() => this.#client.range({ key, rangeEnd, limit: pageSize }));
      reservations.push(...page.kvs.map(({ value }) => decodeReservation(textOf(value))));
      key = `${page.kvs.at(-1)?.key ?? key}\0`;
      more = page.more;
    }
    return reservations.toSorted(byPoolAndAddress);
  }

  async livingOwners(): Promise<undefined> {
    return undefined;
  }

  async readSlices({ name }: SliceTable): Promise<SlicesRead> {
    const key = slicesKey(name);
    const { kvs } = await attempt(() => this.#client.range({ key }));
    const slices = kvs.flatMap(({ value }) => decodeSlices(textOf(value)));
    const modRevision = kvs[0]?.modRevision ?? 0;
    const store = async (slice: Slice) => {
      const value = Buffer.from(encodeSlices([...slices, slice]));
      return this.#client.txn({
        compare: [{ key, target: 2, result: 0, modRevision }],
        success: [{ put: { key, value } }],
      });
    };
    return { slices, add: async (slice) => (await attempt(() => store(slice))).succeeded };
  }

  /** No slices are released, since etcd does not know which nodes exist. */
  async releaseSlices(): Promise<Slice[]> {
    return [];
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #load(
    ledger: EtcdLedger,
    { prefixes, keys }: { prefixes: readonly string[]; keys: readonly string[] },
  ): Promise<void> {
    const ranges = [
      ...new Set(prefixes).values().map((key) => ({ key, rangeEnd: prefixEnd(key) })),
      ...new Set(keys).values().map((key) => ({ key })),
    ];
    if (ranges.length === 0) return;
    const success = ranges.map((range) => ({ range }));
    const { responses } = await attempt(() => this.#client.txn({ success }));
    for (const key of keys) ledger.loadAbsent(key);
    for (const { range } of responses) {
      for (const { key, value, modRevision } of range?.kvs ?? []) {
        ledger.loadEntry(key, { text: textOf(value), revision: modRevision });
      }
    }
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toIpamError(error);
  }
}

function toIpamError(error: unknown): unknown {
  if (!(error instanceof EtcdError)) return error;
  const reason = isUnavailable(error) || isUnknownOutcome(error) ? "tryAgainLater" : "inputOutput";
  return new IpamError(reason, error.message, error.cause);
}

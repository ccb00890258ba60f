import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Taken } from "../../../base/net/range-set.ts";

/** The addresses of one range, or of one node's slice of it. */
export interface Pool {
  /** The name of the pool, unique among all; made by `poolName`. */
  readonly name: string;
  readonly range: Prefix;
  /** The network of the pool; guarded pools of one network share no address. */
  readonly network: string;
  readonly guarded: boolean;
  readonly node?: string;
  /** The number of addresses that the last configuration with this pool hands out; only shown. */
  readonly capacity?: bigint;
}

export interface Reservation {
  readonly pool: Pool;
  readonly address: Address;
  /** The pod that owns the address, as "namespace/name"; the container's id where no pod is named. */
  readonly owner: string;
  readonly ifname: string;
  /** The container; empty once the address is released and only kept in case its owner comes back. */
  readonly containerId: string;
  /** The time until which the address is kept for its owner, in milliseconds since 1970. */
  readonly keptUntil?: number;
  /** The fields from here on are stored only by datastores of our own format. */
  readonly networkConfiguration?: string;
  readonly node?: string;
  readonly netns?: string;
}

/** One interface of an owner. Its container changes when the pod's sandbox is made anew. */
export interface Holder {
  readonly ifname: string;
  readonly containerId?: string;
  readonly owner?: string;
}

export interface Scope {
  readonly pools: readonly Pool[];
  readonly holder?: Holder;
}

/**
 * The view of the datastore that a decision is made on. Changes show in the view at once, elsewhere after
 * the commit.
 */
export interface View {
  /**
   * The reservations of the scope's holder, by its container or its owner: in the pools of the scope, and
   * in other pools where the datastore has an index of them.
   */
  readonly held: readonly Reservation[];
  /** Returns the taken ranges of a pool, and those of pools with which it shares no address. */
  taken(pool: Pool): readonly Taken[];
  /** Returns the reservations kept for owners that may come back; the first is to be given up first. */
  kept(pool: Pool): readonly Reservation[];
  /** Adds a reservation, or changes the holder of its address. */
  put(reservation: Reservation): void;
  remove(reservation: Reservation): void;
}

/** The division of a range into slices of nodes. */
export interface SliceTable {
  readonly name: string;
  readonly range: Prefix;
  /** The prefix length of each slice. */
  readonly length: number;
}

export interface Slice {
  readonly node: string;
  readonly prefix: Prefix;
}

/** The owners that are alive, with the addresses that each uses; undefined where that is not certain. */
export type LivingOwners = ReadonlyMap<string, AddressesInUse | undefined>;

/** The addresses that a pod uses, by interface. */
export type AddressesInUse = ReadonlyMap<string, readonly Address[]>;

export interface Datastore {
  /**
   * Lets `decide` change a consistent view, and stores all of its changes or none. When another writer
   * was faster, `decide` is called again with a new view.
   */
  transact<T>(scope: Scope, decide: (view: View) => T): Promise<T>;
  /** Returns all reservations, by pool and address. */
  reservations(): Promise<Reservation[]>;
  /**
   * Returns the owners that are alive and the addresses they use; undefined where the datastore cannot
   * tell.
   */
  livingOwners(): Promise<LivingOwners | undefined>;
  /** Returns the slices that nodes have, one per node. */
  slices(table: SliceTable): Promise<readonly Slice[]>;
  /**
   * Stores the slice that `choose` returns, unless it is there; calls `choose` again when another writer
   * was faster.
   */
  claimSlice(table: SliceTable, choose: ChooseSlice): Promise<Slice | undefined>;
  /** Releases the empty slices of nodes that are gone, where the datastore knows the nodes. */
  releaseSlices(): Promise<readonly Slice[]>;
  close(): Promise<void>;
}

export type ChooseSlice = (taken: readonly Slice[]) => Slice | undefined;

/** Returns the name that whereabouts gives a pool, so that existing pools are found. */
export function poolName(pool: { network: string; node?: string; range: Prefix }): string {
  const parts = [pool.network, pool.node ?? "", rangeName(pool.range)];
  return parts.filter((part) => part !== "").join("-");
}

export function rangeName(range: Prefix): string {
  const text = range.toString().replaceAll(/[:/]/g, "-");
  return text.startsWith("-") ? `0${text}` : text;
}

export function matches(reservation: Reservation, holder: Holder): boolean {
  // Reservations of old whereabouts releases do not name the interface.
  if (reservation.ifname !== holder.ifname && reservation.ifname !== "") return false;
  return reservation.containerId === holder.containerId || reservation.owner === holder.owner;
}

export function byPoolAndAddress(one: Reservation, other: Reservation): number {
  if (one.pool.name !== other.pool.name) return one.pool.name < other.pool.name ? -1 : 1;
  return one.address.compare(other.address);
}

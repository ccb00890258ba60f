import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Taken } from "../../../base/net/range-set.ts";

/** The addresses of one range, or of one node's slice of it. */
export interface Pool {
  /** Unique among all pools; made by `poolName`. */
  readonly name: string;
  readonly range: Prefix;
  /** Pools of one network share no address as long as they are guarded. */
  readonly network: string;
  readonly guarded: boolean;
  readonly node?: string;
  /** How many addresses of it the last configuration that used it hands out; to be shown. */
  readonly capacity?: bigint;
}

export interface Reservation {
  readonly pool: Pool;
  readonly address: Address;
  /** "namespace/name" of the pod, or the container's id where no pod is named. */
  readonly owner: string;
  readonly ifname: string;
  /** Empty once released and only kept in case that its owner comes back. */
  readonly containerId: string;
  /** Until when it is kept for its owner, in milliseconds since 1970. */
  readonly keptUntil?: number;
  /** The rest is kept by datastores of our own format only. */
  readonly networkConfiguration?: string;
  readonly node?: string;
  readonly netns?: string;
}

/** One interface of an owner; its container changes when the sandbox is made anew. */
export interface Holder {
  readonly ifname: string;
  readonly containerId?: string;
  readonly owner?: string;
}

export interface Scope {
  readonly pools: readonly Pool[];
  readonly holder?: Holder;
}

/** What a decision is made on. Changes show at once in the view, and elsewhere after the commit. */
export interface View {
  /**
   * What the scope's holder has by its container or by its owner: in the pools of the scope, and in
   * others too where the datastore has an index of them.
   */
  readonly held: readonly Reservation[];
  /** What is taken in a pool, and in the pools it shares no address with. */
  taken(pool: Pool): readonly Taken[];
  /** What is kept for owners that may come back; what is to be given up first comes first. */
  kept(pool: Pool): readonly Reservation[];
  /** Adds, or changes who holds the address. */
  put(reservation: Reservation): void;
  remove(reservation: Reservation): void;
}

/** How a range is shared out among nodes. */
export interface SliceTable {
  readonly name: string;
  readonly range: Prefix;
  /** Of each slice. */
  readonly length: number;
}

export interface Slice {
  readonly node: string;
  readonly prefix: Prefix;
}

/** What is used is undefined where that is not known for certain. */
export type LivingOwners = ReadonlyMap<string, AddressesInUse | undefined>;

/** By interface. */
export type AddressesInUse = ReadonlyMap<string, readonly Address[]>;

export interface Datastore {
  /**
   * Lets `decide` change a consistent view, and stores all of its changes or none. When others were
   * faster it is asked again, on a new view.
   */
  transact<T>(scope: Scope, decide: (view: View) => T): Promise<T>;
  /** Everything that is reserved, by pool and address. */
  reservations(): Promise<Reservation[]>;
  /** The owners that are alive, and what they use; undefined where the datastore cannot tell. */
  livingOwners(): Promise<LivingOwners | undefined>;
  /** The slices that nodes have; no node is told of twice. */
  slices(table: SliceTable): Promise<readonly Slice[]>;
  /** Stores the slice that is chosen, unless it is there already; asks again when others were faster. */
  claimSlice(table: SliceTable, choose: ChooseSlice): Promise<Slice | undefined>;
  /** Takes back the empty slices of nodes that are gone, where the datastore can tell. */
  releaseSlices(): Promise<readonly Slice[]>;
  close(): Promise<void>;
}

export type ChooseSlice = (taken: readonly Slice[]) => Slice | undefined;

/** The name whereabouts gives its pools, so that existing ones are found. */
export function poolName(pool: { network: string; node?: string; range: Prefix }): string {
  const parts = [pool.network, pool.node ?? "", rangeName(pool.range)];
  return parts.filter((part) => part !== "").join("-");
}

export function rangeName(range: Prefix): string {
  const text = range.toString().replaceAll(/[:/]/g, "-");
  return text.startsWith("-") ? `0${text}` : text;
}

export function matches(reservation: Reservation, holder: Holder): boolean {
  // Pools of old releases do not say which interface.
  if (reservation.ifname !== holder.ifname && reservation.ifname !== "") return false;
  return reservation.containerId === holder.containerId || reservation.owner === holder.owner;
}

export function byPoolAndAddress(one: Reservation, other: Reservation): number {
  if (one.pool.name !== other.pool.name) return one.pool.name < other.pool.name ? -1 : 1;
  return one.address.compare(other.address);
}

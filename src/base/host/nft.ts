import type { CallOptions } from "./command.ts";

type NftFamily = "ip" | "ip6" | "inet" | "arp" | "bridge" | "netdev";

export interface NftTable {
  readonly family: NftFamily;
  readonly name: string;
}

export interface NftSet {
  readonly table: NftTable;
  readonly kind: "set" | "map";
  readonly name: string;
}

export interface NftElement {
  /** The parts of the key, numbers in decimal: `["10.0.0.1", "tcp", "80"]`. */
  readonly key: readonly string[];
  /** The parts of a map's value, or one verdict: `["goto web"]`. */
  readonly value?: readonly string[];
  readonly comment?: string;
  readonly timeoutSeconds?: number;
  /** The number of packets counted, where the set has counters. */
  readonly packets?: number;
}

/** The names of a table's objects, sorted. */
export interface NftObjects {
  readonly chains: readonly string[];
  readonly sets: readonly string[];
  readonly maps: readonly string[];
}

/** The kernel's packet rules, by nft(8). */
export interface Nft {
  /** Applies a script, as a whole or not at all. */
  apply(script: string, options?: CallOptions): Promise<void>;
  /** Checks a script: fails where `apply` would, and changes nothing. */
  check(script: string, options?: CallOptions): Promise<void>;
  /** Deletes a table; succeeds also when there is none. */
  deleteTable(table: NftTable, options?: CallOptions): Promise<void>;
  tables(options?: CallOptions): Promise<readonly NftTable[]>;
  objects(table: NftTable, options?: CallOptions): Promise<NftObjects>;
  elements(set: NftSet, options?: CallOptions): Promise<readonly NftElement[]>;
  /** The table as nft prints it, without the values of its counters. */
  text(table: NftTable, options?: CallOptions): Promise<string>;
  /** The table without the elements of its sets and maps: quick, however many there are. */
  outline(table: NftTable, options?: CallOptions): Promise<string>;
}

// The elements of one frontend in a table's sets and maps, whichever proxy mode picks its endpoints.

import type { Frontend, Pool } from "../plan/frontend.ts";
import { sourceSetName } from "./sources.ts";
import type { Place } from "./words.ts";

/** An element of a set or map. */
export interface Element {
  readonly set: string;
  readonly key: string;
  /** The text after the key in the command that adds the element. */
  readonly rest: string;
}

export interface TableElements {
  readonly own: readonly Element[];
  /** The keys, by set, that other frontends may have as well. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
  /** The prefix lengths of the allowed sources. */
  readonly sourceLengths: readonly number[];
}

export const noElements: TableElements = { own: [], shared: {}, sourceLengths: [] };

/** Returns the verdict that leads a group of clients to its endpoints; the pool is not empty. */
type Lead = (pool: Pool, isForOutsiders: boolean) => string;

export class PlaceElements implements TableElements {
  readonly place: Place;
  readonly key: string;
  readonly own: Element[] = [];
  readonly shared: Record<string, readonly string[]>;
  readonly sourceLengths: number[] = [];
  readonly #frontend: Frontend;

  constructor(frontend: Frontend, lead: Lead) {
    const { kind, address, protocol, port, pool, outsiders = [] } = frontend;
    this.#frontend = frontend;
    this.place = address === undefined ? "node-port" : "service";
    this.key = `${address === undefined ? "" : `${address} . `}${protocol} . ${port}`;
    const local = [...pool, ...outsiders].filter(({ isLocal }) => isLocal);
    this.shared = {
      "cluster-ips": kind === "ClusterIP" && address !== undefined ? [address] : [],
      hairpin: [...new Set(local.map((endpoint) => `${endpoint.address} . ${endpoint.address}`))],
    };
    this.#dispatch(lead);
    this.#guard();
    this.#masquerade();
  }

  /** Adds an element to a map or set that is keyed by frontend. */
  add(set: string, rest: string): void {
    this.own.push({ set, key: this.key, rest });
  }

  get #isServed(): boolean {
    const { pool, outsiders } = this.#frontend;
    return pool.length + (outsiders?.length ?? 0) > 0;
  }

  #dispatch(lead: Lead): void {
    const { pool, outsiders, whenEmpty, owner } = this.#frontend;
    const dispatch = `${this.place}s`;
    const named = `comment "${owner.slice(0, longestComment).replaceAll(/[^\w.:/-]/g, "?")}"`;
    if (!this.#isServed) {
      this.add(dispatch, `${named} : ${whenEmpty === "reject" ? "goto refuse" : "drop"}`);
    } else if (outsiders === undefined) {
      this.add(dispatch, `${named} : ${lead(pool, false)}`);
    } else {
      this.add(dispatch, `${named} : goto ${this.place}-split`);
      if (pool.length > 0) this.add(`${dispatch}-inside`, `: ${lead(pool, false)}`);
      if (outsiders.length > 0) this.add(`${dispatch}-outside`, `: ${lead(outsiders, true)}`);
    }
  }

  #masquerade(): void {
    const { kind, masquerade } = this.#frontend;
    // Cluster IPs share their masquerade rules, which are in the layout.
    if (kind === "ClusterIP" || !this.#isServed) return;
    const chain = masquerade === "this-node" ? "masquerade-this-node" : "masquerade-everyone";
    this.add(`${this.place}-masquerade`, `: goto ${chain}`);
  }

  #guard(): void {
    const { allowedSources } = this.#frontend;
    if (allowedSources === undefined) return;
    this.add("guarded", "");
    const sources = new Map(allowedSources.map((prefix) => [prefix.toString(), prefix]));
    for (const { first, length } of sources.values()) {
      this.sourceLengths.push(length);
      const key = `${first.toString()} . ${this.key}`;
      this.own.push({ set: sourceSetName(length), key, rest: "" });
    }
  }
}

/** The longest comment that the kernel accepts. */
export const longestComment = 127;

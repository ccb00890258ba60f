// What one frontend puts into a table's sets and maps, whichever mode leads from there to its endpoints.

import type { Frontend, Pool } from "../plan/frontend.ts";
import { sourceSetName } from "./sources.ts";
import type { Place } from "./words.ts";

/** An element of a set or map. */
export interface Element {
  readonly set: string;
  readonly key: string;
  /** What follows the key in a command that adds it. */
  readonly rest: string;
}

export interface TableElements {
  readonly own: readonly Element[];
  /** Keys by set, which others may have there as well. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
  /** Lengths of the source prefixes. */
  readonly sourceLengths: readonly number[];
}

export const noElements: TableElements = { own: [], shared: {}, sourceLengths: [] };

/** The verdict that leads some clients to endpoints: there is at least one. */
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

  /** To one of the maps and sets that are looked up by place. */
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
    // That of cluster IPs is the same for all of them, and in the layout.
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

/** The kernel takes no more. */
export const longestComment = 127;

// What one frontend puts into the table's sets and maps.

import type { Frontend, Pool } from "../plan/frontend.ts";
import { endpointNumbers } from "./affinity.ts";
import { carried } from "./carried.ts";
import { type Picker, pickerName, sourceSetName } from "./shapes.ts";
import type { Place } from "./words.ts";

/** An element of a set or map. */
export interface Element {
  readonly set: string;
  readonly key: string;
  /** What follows the key in a command that adds it. */
  readonly rest: string;
}

export interface Elements {
  readonly own: readonly Element[];
  /** Its address inside the cluster, and its endpoints on this node: others may have them as well. */
  readonly clusterIPs: readonly string[];
  readonly hairpins: readonly string[];
  readonly pickers: readonly Picker[];
  /** Lengths of the source prefixes. */
  readonly sourceLengths: readonly number[];
}

export const noElements: Elements = {
  own: [],
  clusterIPs: [],
  hairpins: [],
  pickers: [],
  sourceLengths: [],
};

export function elementsOf(frontend: Frontend): Elements {
  return new Collector(frontend);
}

class Collector implements Elements {
  readonly own: Element[] = [];
  readonly clusterIPs: string[] = [];
  readonly hairpins: string[] = [];
  readonly pickers: Picker[] = [];
  readonly sourceLengths: number[] = [];
  readonly #frontend: Frontend;
  readonly #place: Place;
  readonly #key: string;

  constructor(frontend: Frontend) {
    const { kind, address, protocol, port, pool, outsiders } = frontend;
    this.#frontend = frontend;
    this.#place = address === undefined ? "node-port" : "service";
    this.#key = `${address === undefined ? "" : `${address} . `}${protocol} . ${port}`;
    if (kind === "ClusterIP" && address !== undefined) this.clusterIPs.push(address);
    this.#dispatch();
    this.#guard();
    this.#masquerade();
    this.#endpoints(pool, false);
    if (outsiders !== undefined) this.#endpoints(outsiders, true);
  }

  get #isServed(): boolean {
    const { pool, outsiders } = this.#frontend;
    return pool.length + (outsiders?.length ?? 0) > 0;
  }

  #dispatch(): void {
    const { pool, outsiders, whenEmpty, owner } = this.#frontend;
    const dispatch = `${this.#place}s`;
    const named = `comment "${owner.slice(0, longestComment).replaceAll(/[^\w.:/-]/g, "?")}"`;
    const lead = (set: string, rest: string): void => this.#add({ set, key: this.#key, rest });
    if (!this.#isServed) {
      lead(dispatch, `${named} : ${whenEmpty === "reject" ? "goto refuse" : "drop"}`);
    } else if (outsiders === undefined) {
      lead(dispatch, `${named} : goto ${this.#picker(pool, false)}`);
    } else {
      lead(dispatch, `${named} : goto ${this.#place}-split`);
      if (pool.length > 0) lead(`${dispatch}-inside`, `: goto ${this.#picker(pool, false)}`);
      if (outsiders.length > 0) {
        lead(`${dispatch}-outside`, `: goto ${this.#picker(outsiders, true)}`);
      }
    }
  }

  #picker({ length: count }: Pool, isForOutsiders: boolean): string {
    const { affinitySeconds } = this.#frontend;
    const picker = { place: this.#place, isForOutsiders, count, affinitySeconds };
    this.pickers.push(picker);
    return pickerName(picker);
  }

  #endpoints(pool: Pool, isForOutsiders: boolean): void {
    const isSticky = this.#frontend.affinitySeconds !== undefined;
    const numbers = isSticky ? endpointNumbers(pool) : [];
    for (const [index, { address, port, isLocal }] of pool.entries()) {
      const number = carried(numbers[index] ?? index, isForOutsiders);
      if (isSticky) {
        const key = `${this.#key} . ${carried(index, isForOutsiders)}`;
        this.#add({ set: `${this.#place}-numbers`, key, rest: `: ${number}` });
      }
      this.#add({
        set: `${this.#place}-endpoints`,
        key: `${this.#key} . ${number}`,
        rest: `: ${address} . ${port}`,
      });
      if (isLocal) this.hairpins.push(address);
    }
  }

  #masquerade(): void {
    const { kind, masquerade } = this.#frontend;
    // That of cluster IPs is the same for all of them, and in the layout.
    if (kind === "ClusterIP" || !this.#isServed) return;
    const chain = masquerade === "this-node" ? "masquerade-this-node" : "masquerade-everyone";
    this.#add({ set: `${this.#place}-masquerade`, key: this.#key, rest: `: goto ${chain}` });
  }

  #guard(): void {
    const { allowedSources } = this.#frontend;
    if (allowedSources === undefined) return;
    this.#add({ set: "guarded", key: this.#key, rest: "" });
    const sources = new Map(allowedSources.map((prefix) => [prefix.toString(), prefix]));
    for (const { first, length } of sources.values()) {
      this.sourceLengths.push(length);
      const key = `${first.toString()} . ${this.#key}`;
      this.#add({ set: sourceSetName(length), key, rest: "" });
    }
  }

  #add(element: Element): void {
    this.own.push(element);
  }
}

/** The kernel takes no more. */
export const longestComment = 127;

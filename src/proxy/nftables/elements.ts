// What one frontend puts into the table's sets and maps.

import type { Frontend, Pool } from "../plan/frontend.ts";
import { endpointNumbers } from "./affinity.ts";
import { carried } from "./carried.ts";
import { type Picker, pickerName, sourceSetName } from "./shapes.ts";
import type { Place } from "./words.ts";

export interface Elements {
  /** Sets and maps, what is in them by key, with the value of a map's element behind it. */
  readonly own: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Elements that others may need as well. */
  readonly shared: readonly SharedElement[];
  readonly pickers: readonly Picker[];
  /** Lengths of the source prefixes. */
  readonly sourceLengths: readonly number[];
}

export interface SharedElement {
  readonly set: "cluster-ips" | "hairpin";
  readonly key: string;
}

export const noElements: Elements = {
  own: new Map(),
  shared: [],
  pickers: [],
  sourceLengths: [],
};

export function elementsOf(frontend: Frontend): Elements {
  const collector = new Collector(frontend);
  collector.collect();
  return collector;
}

class Collector implements Elements {
  readonly own = new Map<string, Map<string, string>>();
  readonly shared: SharedElement[] = [];
  readonly pickers: Picker[] = [];
  readonly sourceLengths: number[] = [];
  readonly #frontend: Frontend;
  readonly #place: Place;
  readonly #key: string;

  constructor(frontend: Frontend) {
    const { address, protocol, port } = frontend;
    this.#frontend = frontend;
    this.#place = address === undefined ? "node-port" : "service";
    this.#key = `${address === undefined ? "" : `${address} . `}${protocol} . ${port}`;
  }

  collect(): void {
    const { kind, address, pool, outsiders } = this.#frontend;
    if (kind === "ClusterIP" && address !== undefined) {
      this.shared.push({ set: "cluster-ips", key: address });
    }
    this.#guard();
    if (pool.length + (outsiders?.length ?? 0) > 0) {
      this.#masquerade();
      this.#endpoints(pool, false);
      this.#endpoints(outsiders ?? [], true);
    }
    this.#dispatch();
  }

  #dispatch(): void {
    const { pool, outsiders, whenEmpty, owner } = this.#frontend;
    const dispatch = `${this.#place}s`;
    const named = `comment "${owner.slice(0, longestComment).replaceAll(/[^\w.:/-]/g, "?")}"`;
    const lead = (map: string, verdict: string): void => this.#add(map, [this.#key, verdict]);
    if (pool.length + (outsiders?.length ?? 0) === 0) {
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
    const numbers = isSticky ? endpointNumbers(pool) : pool.keys().toArray();
    for (const [index, endpoint] of pool.entries()) {
      const { address, port, isLocal } = endpoint;
      const number = carried(numbers[index] ?? index, isForOutsiders);
      if (isSticky) {
        const key = `${this.#key} . ${carried(index, isForOutsiders)}`;
        this.#add(`${this.#place}-numbers`, [key, `: ${number}`]);
      }
      const key = `${this.#key} . ${number}`;
      this.#add(`${this.#place}-endpoints`, [key, `: ${address} . ${port}`]);
      if (isLocal) this.shared.push({ set: "hairpin", key: `${address} . ${address}` });
    }
  }

  #masquerade(): void {
    const { kind, masquerade } = this.#frontend;
    // That of cluster IPs is the same for all of them, and in the layout.
    if (kind === "ClusterIP") return;
    const chain = masquerade === "this-node" ? "masquerade-this-node" : "masquerade-everyone";
    this.#add(`${this.#place}-masquerade`, [this.#key, `: goto ${chain}`]);
  }

  #guard(): void {
    const { allowedSources } = this.#frontend;
    if (allowedSources === undefined) return;
    this.#add("guarded", [this.#key, ""]);
    for (const { first, length } of allowedSources) {
      this.sourceLengths.push(length);
      this.#add(sourceSetName(length), [`${first.toString()} . ${this.#key}`, ""]);
    }
  }

  #add(set: string, [key, value]: readonly [string, string]): void {
    const elements = this.own.get(set);
    if (elements === undefined) this.own.set(set, new Map([[key, value]]));
    else elements.set(key, value);
  }
}

/** The kernel takes no more. */
const longestComment = 127;

// What one frontend comes to: elements of the table's sets and maps, virtual services, and addresses.

import type { Family } from "../../net/family.ts";
import type { Element } from "../nftables/elements.ts";
import { sourceSetName } from "../nftables/shapes.ts";
import type { Place } from "../nftables/words.ts";
import { endpointText, type Frontend, type Pool } from "../plan/frontend.ts";
import { type Marks, markName } from "./marks.ts";
import { addressKey, markKey, settingsText } from "./virtual-service.ts";

/** A virtual service as it should be, but for servers that still have connections. */
export interface WantedService {
  readonly key: string;
  readonly settings: string;
  /** They get new connections. */
  readonly servers: readonly string[];
  /** They keep what they have. */
  readonly keepers: ReadonlySet<string>;
  /** Whether servers keep connections after they are gone from the pool. */
  readonly drains: boolean;
}

export interface Parts {
  readonly elements: readonly Element[];
  readonly services: readonly WantedService[];
  readonly addresses: readonly string[];
  readonly clusterIPs: readonly string[];
  readonly hairpins: readonly string[];
  readonly sourceLengths: readonly number[];
}

/** The set of virtual services that are ours but have none of our addresses. */
export const nodeServices = "node-services";

export const noParts: Parts = {
  elements: [],
  services: [],
  addresses: [],
  clusterIPs: [],
  hairpins: [],
  sourceLengths: [],
};

interface Context {
  readonly family: Family;
  readonly scheduler: string;
  readonly marks: Marks;
  /** Where node ports are served. */
  readonly nodeAddresses: readonly string[];
}

export function partsOf(frontend: Frontend, context: Context): Parts {
  return new Collector(frontend, context);
}

class Collector implements Parts {
  readonly elements: Element[] = [];
  readonly services: WantedService[] = [];
  readonly addresses: readonly string[];
  readonly clusterIPs: readonly string[];
  readonly hairpins: readonly string[];
  readonly sourceLengths: number[] = [];
  readonly #frontend: Frontend;
  readonly #context: Context;
  readonly #place: Place;
  readonly #key: string;

  constructor(frontend: Frontend, context: Context) {
    const { kind, address, protocol, port, pool, outsiders } = frontend;
    this.#frontend = frontend;
    this.#context = context;
    this.#place = address === undefined ? "node-port" : "service";
    this.#key = `${address === undefined ? "" : `${address} . `}${protocol} . ${port}`;
    this.addresses = address === undefined ? [] : [address];
    this.clusterIPs = kind === "ClusterIP" ? this.addresses : [];
    const local = [...pool, ...(outsiders ?? [])].filter(({ isLocal }) => isLocal);
    this.hairpins = [...new Set(local.map((endpoint) => endpoint.address))];
    this.#dispatch();
    this.#guard();
    this.#masquerade();
    this.#serve(pool, false);
    if (outsiders !== undefined) this.#serve(outsiders, true);
  }

  get #isServed(): boolean {
    const { pool, outsiders } = this.#frontend;
    return pool.length + (outsiders?.length ?? 0) > 0;
  }

  #dispatch(): void {
    const { pool, outsiders, whenEmpty, owner } = this.#frontend;
    const dispatch = `${this.#place}s`;
    const named = `comment "${owner.slice(0, longestComment).replaceAll(/[^\w.:/-]/g, "?")}"`;
    if (!this.#isServed) {
      this.#add(dispatch, `${named} : ${whenEmpty === "reject" ? "goto refuse" : "drop"}`);
    } else if (outsiders === undefined) {
      this.#add(dispatch, `${named} : ${this.#verdict(false)}`);
    } else {
      this.#add(dispatch, `${named} : goto ${this.#place}-split`);
      if (pool.length > 0) this.#add(`${dispatch}-inside`, `: ${this.#verdict(false)}`);
      if (outsiders.length > 0) this.#add(`${dispatch}-outside`, `: ${this.#verdict(true)}`);
    }
  }

  #verdict(isForOutsiders: boolean): string {
    if (!this.#isMarked(isForOutsiders)) return "accept";
    return `goto ${this.#place}-mark${isForOutsiders ? "-outside" : ""}`;
  }

  /**
   * A virtual service by address is the same for everyone, so one of two audiences goes by mark. Those by
   * mark translate no port for clients that they remember; hence who is remembered, outsiders rather
   * than insiders, goes by address.
   */
  #isMarked(isForOutsiders: boolean): boolean {
    const { outsiders, affinitySeconds } = this.#frontend;
    const isSticky = affinitySeconds !== undefined;
    if (this.#place === "node-port" && !isSticky) return true;
    return isForOutsiders !== (isSticky && outsiders !== undefined);
  }

  #serve(pool: Pool, isForOutsiders: boolean): void {
    const { protocol, keepers } = this.#frontend;
    const isMarked = this.#isMarked(isForOutsiders);
    for (const key of isMarked ? [this.#mark(pool, isForOutsiders)] : this.#addressKeys()) {
      this.services.push({
        key,
        settings: this.#settings(isMarked),
        servers: pool.map(endpointText),
        keepers: new Set(keepers.map(endpointText)),
        drains: protocol !== "udp",
      });
    }
  }

  #mark(pool: Pool, isForOutsiders: boolean): string {
    const { family, marks } = this.#context;
    const mark = marks.of(markName(this.#frontend, isForOutsiders));
    const set = `${this.#place}-marks${isForOutsiders ? "-outside" : ""}`;
    if (pool.length > 0) this.#add(set, `: ${mark}`);
    return markKey(mark, family);
  }

  /** A node port has one at each address; the table remembers that they are ours. */
  #addressKeys(): readonly string[] {
    const { address, protocol, port } = this.#frontend;
    if (address !== undefined) return [addressKey({ address, port }, protocol)];
    return this.#context.nodeAddresses.map((node) => {
      const key = `${node} . ${protocol} . ${port}`;
      this.elements.push({ set: nodeServices, key, rest: "" });
      return addressKey({ address: node, port }, protocol);
    });
  }

  #settings(isMarked: boolean): string {
    const { affinitySeconds } = this.#frontend;
    // By its address a client is led to the same server, too, as long as these are the same.
    if (isMarked && affinitySeconds !== undefined) return "-s sh -b sh-fallback";
    return settingsText(this.#context.scheduler, affinitySeconds);
  }

  #masquerade(): void {
    const { kind, masquerade } = this.#frontend;
    if (kind === "ClusterIP" || !this.#isServed) return;
    const chain = masquerade === "this-node" ? "masquerade-this-node" : "masquerade-everyone";
    this.#add(`${this.#place}-masquerade`, `: goto ${chain}`);
  }

  #guard(): void {
    const { allowedSources } = this.#frontend;
    if (allowedSources === undefined) return;
    this.#add("guarded", "");
    const sources = new Map(allowedSources.map((prefix) => [prefix.toString(), prefix]));
    for (const { first, length } of sources.values()) {
      this.sourceLengths.push(length);
      const key = `${first.toString()} . ${this.#key}`;
      this.elements.push({ set: sourceSetName(length), key, rest: "" });
    }
  }

  #add(set: string, rest: string): void {
    this.elements.push({ set, key: this.#key, rest });
  }
}

/** The kernel takes no more. */
const longestComment = 127;

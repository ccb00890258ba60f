// The parts of one frontend: elements of the table's sets and maps, virtual services, and addresses.

import type { Family } from "../../../base/net/family.ts";
import { endpointText, type Frontend, type Pool } from "../plan/frontend.ts";
import { noElements, PlaceElements, type TableElements } from "../table/elements.ts";
import { type Marks, markName } from "./marks.ts";
import { addressKey, markKey, settingsText } from "./virtual-service.ts";

/** A virtual service as it should be, without the servers that only drain. */
export interface WantedService {
  readonly key: string;
  readonly settings: string;
  /** The servers that get new connections. */
  readonly servers: readonly string[];
  /** The servers that keep the flows they have. */
  readonly keepers: ReadonlySet<string>;
  /** Whether servers keep their connections after they have left the pool. */
  readonly drains: boolean;
}

export interface Parts {
  readonly elements: TableElements;
  readonly services: readonly WantedService[];
  readonly addresses: readonly string[];
}

/** The set of the proxy's virtual services at the node's own addresses. */
export const nodeServices = "node-services";

export const noParts: Parts = { elements: noElements, services: [], addresses: [] };

interface Context {
  readonly family: Family;
  readonly scheduler: string;
  readonly marks: Marks;
  /** The addresses of the node at which node ports are served. */
  readonly nodeAddresses: readonly string[];
}

export function partsOf(frontend: Frontend, context: Context): Parts {
  return new Collector(frontend, context);
}

class Collector implements Parts {
  readonly elements: PlaceElements;
  readonly services: WantedService[] = [];
  readonly addresses: readonly string[];
  readonly #frontend: Frontend;
  readonly #context: Context;

  constructor(frontend: Frontend, context: Context) {
    const { address, pool, outsiders } = frontend;
    this.#frontend = frontend;
    this.#context = context;
    this.addresses = address === undefined ? [] : [address];
    this.elements = new PlaceElements(frontend, (_, isForOutsiders) =>
      this.#verdict(isForOutsiders),
    );
    this.elements.shared["addresses"] = this.addresses;
    this.#serve(pool, false);
    if (outsiders !== undefined) this.#serve(outsiders, true);
  }

  #verdict(isForOutsiders: boolean): string {
    if (!this.#isMarked(isForOutsiders)) return "accept";
    const place = this.#frontend.address === undefined ? "node-port" : "service";
    return `goto ${place}-mark${isForOutsiders ? "-outside" : ""}`;
  }

  /**
   * Whether clients inside or outside are served by a mark. A virtual service by address is the same for
   * every client, so one of the two groups needs a mark. A persistent virtual service by mark does not
   * translate the port for known clients; hence with affinity outside clients go by address, if they have
   * a pool of their own, else all do.
   */
  #isMarked(isForOutsiders: boolean): boolean {
    const { address, outsiders, affinitySeconds } = this.#frontend;
    const isSticky = affinitySeconds !== undefined;
    if (address === undefined && !isSticky) return true;
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
    const set = `${this.elements.place}-marks${isForOutsiders ? "-outside" : ""}`;
    if (pool.length > 0) this.elements.add(set, `: ${mark}`);
    return markKey(mark, family);
  }

  /**
   * Returns the keys of the virtual services by address. A node port has one at each address of the node;
   * the table records that they are the proxy's.
   */
  #addressKeys(): readonly string[] {
    const { address, protocol, port } = this.#frontend;
    if (address !== undefined) return [addressKey({ address, port }, protocol)];
    return this.#context.nodeAddresses.map((node) => {
      const key = `${node} . ${protocol} . ${port}`;
      this.elements.own.push({ set: nodeServices, key, rest: "" });
      return addressKey({ address: node, port }, protocol);
    });
  }

  #settings(isMarked: boolean): string {
    const { affinitySeconds } = this.#frontend;
    // The scheduler `sh` hashes the client's address: a client keeps its server while the servers stay.
    if (isMarked && affinitySeconds !== undefined) return "-s sh -b sh-fallback";
    return settingsText(this.#context.scheduler, affinitySeconds);
  }
}

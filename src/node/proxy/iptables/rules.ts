// The rules of one frontend: chains of its own that translate, a rule that jumps to them, and rules for
// packets that they let through untranslated.

import type { Family } from "../../../base/net/family.ts";
import {
  type Endpoint,
  endpointText,
  type FamilySettings,
  type Frontend,
  frontendKey,
  type Pool,
  type Protocol,
} from "../plan/frontend.ts";
import { chainName, host, setMark } from "./words.ts";

export interface FrontendRules {
  /** The chains in the table "nat", by name. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** The rules that jump to the first of the chains; none if the frontend has no endpoints. */
  readonly dispatch: readonly string[];
  /** The rules in the table "filter", for packets that were not translated. */
  readonly refusals: readonly string[];
}

export function frontendRules(frontend: Frontend, settings: FamilySettings): FrontendRules {
  return new Writer(frontend, settings);
}

class Writer implements FrontendRules {
  readonly chains = new Map<string, readonly string[]>();
  readonly dispatch: readonly string[];
  readonly refusals: readonly string[];
  readonly #frontend: Frontend;
  readonly #settings: FamilySettings;
  readonly #key: string;
  readonly #match: string;

  constructor(frontend: Frontend, settings: FamilySettings) {
    const { address, protocol, port, owner, pool, outsiders, allowedSources } = frontend;
    this.#frontend = frontend;
    this.#settings = settings;
    this.#key = frontendKey(frontend);
    const to = address === undefined ? "" : `-d ${host(address)} `;
    const comment = `-m comment --comment "${owner.replaceAll(/[^\w.:/-]/g, "?")}"`;
    this.#match = `${to}-p ${protocol} -m ${protocol} --dport ${port} ${comment}`;
    const isServed = pool.length + (outsiders?.length ?? 0) > 0;
    const main = chainName("S", this.#key);
    this.dispatch = isServed ? [`${this.#match} -j ${main}`] : [];
    this.refusals = this.#refusals(isServed);
    if (!isServed) return;
    if (allowedSources === undefined) this.chains.set(main, this.#translation());
    else {
      const inner = chainName("A", this.#key);
      const isAllowed = allowedSources.map((prefix) => `-s ${prefix} -g ${inner}`);
      this.chains.set(main, isAllowed);
      this.chains.set(inner, this.#translation());
    }
  }

  #translation(): readonly string[] {
    const { pool, outsiders } = this.#frontend;
    if (outsiders === undefined) return [...this.#masquerade(), ...this.#pick(pool, "in")];
    const inside = chainName("I", this.#key);
    this.chains.set(inside, this.#pick(pool, "in"));
    return [
      ...this.#masquerade(),
      ...this.#isPod("").map((match) => `${match} -g ${inside}`),
      `-m addrtype --src-type LOCAL -g ${inside}`,
      ...this.#pick(outsiders, "out"),
    ];
  }

  #masquerade(): readonly string[] {
    const { masquerade } = this.#frontend;
    if (masquerade === "everyone") return [setMark];
    if (masquerade === "this-node") return [`-m addrtype --src-type LOCAL ${setMark}`];
    if (masquerade === "nobody") return [];
    return this.#isPod("! ").map((match) => `${match} ${setMark}`);
  }

  #isPod(not: "" | "! "): readonly string[] {
    const { podPrefix } = this.#settings;
    return podPrefix === undefined ? [] : [`${not}-s ${podPrefix}`];
  }

  /**
   * Picks an endpoint at random: the first of n with probability 1/n, else the next of those that are
   * left.
   */
  #pick(pool: Pool, side: "in" | "out"): readonly string[] {
    const { affinitySeconds } = this.#frontend;
    const known = pool.map((endpoint) => this.#recent(endpoint, side));
    const returning =
      affinitySeconds === undefined
        ? []
        : pool.map(
            (endpoint, n) =>
              `${known[n]} --update --seconds ${affinitySeconds} --reap ${this.#to(endpoint)}`,
          );
    const picking = pool.map((endpoint, n) => {
      const left = pool.length - n;
      const chance = `-m statistic --mode random --probability ${(1 / left).toFixed(10)} `;
      const remember = affinitySeconds === undefined ? "" : `${known[n]} --set `;
      return `${left > 1 ? chance : ""}${remember}${this.#to(endpoint)}`;
    });
    return [...returning, ...picking];
  }

  #recent(endpoint: Endpoint, side: "in" | "out"): string {
    const name = chainName("R", this.#key, side, endpointText(endpoint));
    return `-m recent --name ${name} --rsource`;
  }

  /**
   * Translates to an endpoint. Hairpin traffic, of a local pod to itself, is masqueraded: a pod drops
   * answers that seem to come from itself.
   */
  #to(endpoint: Endpoint): string {
    const { protocol } = this.#frontend;
    const translate = `-p ${protocol} -j DNAT --to-destination ${endpointText(endpoint)}`;
    if (!endpoint.isLocal) return translate;
    const name = chainName("E", this.#key, endpointText(endpoint));
    this.chains.set(name, [`-s ${host(endpoint.address)} ${setMark}`, translate]);
    return `-j ${name}`;
  }

  #refusals(isServed: boolean): readonly string[] {
    const { pool, outsiders, allowedSources, whenEmpty, protocol } = this.#frontend;
    const drop = `${this.#match} -j DROP`;
    const refused = `${this.#match} ${reject(protocol, this.#settings.family)}`;
    const refusal = whenEmpty === "drop" ? drop : refused;
    if (isServed) {
      const isClosed = allowedSources !== undefined || pool.length === 0 || outsiders?.length === 0;
      return isClosed ? [drop] : [];
    }
    if (allowedSources === undefined) return [refusal];
    return [...allowedSources.map((prefix) => `-s ${prefix} ${refusal}`), drop];
  }
}

/** Rejects packets to ports of a cluster IP that its service does not have. */
export function unusedPortRules(address: string): readonly string[] {
  const family = address.includes(":") ? "IPv6" : "IPv4";
  const to = `-d ${host(address)}`;
  return [`${to} -p tcp ${reject("tcp", family)}`, `${to} ${reject("udp", family)}`];
}

/**
 * Rejects a packet, TCP by a reset: an IPv6 client goes on trying for minutes when told that a port is
 * unreachable.
 */
function reject(protocol: Protocol, family: Family): string {
  return `-j REJECT --reject-with ${protocol === "tcp" ? "tcp-reset" : unreachable[family]}`;
}

const unreachable = { IPv4: "icmp-port-unreachable", IPv6: "icmp6-port-unreachable" } as const;

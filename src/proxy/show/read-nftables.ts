// What a service became in the maps of nftables: see src/proxy/nftables/elements.ts for what wrote them.

import { isNotFound } from "../../host/error.ts";
import type { Nft, NftElement } from "../../host/nft.ts";
import { bitsOf, type Family } from "../../net/family.ts";
import { isCarriedByOutsiders } from "../nftables/carried.ts";
import { longestComment } from "../nftables/elements.ts";
import { type Place, places, tableNames, wordsOf } from "../nftables/words.ts";
import { endpointText } from "../plan/frontend.ts";
import { isOwnedBy, type KernelPlace, type Lead, type ReadPlaces } from "./kernel-place.ts";

export function nftablesReader(nft: Nft, family: Family): ReadPlaces {
  return async (service) => {
    const found = await Promise.all(
      tableNames.flatMap((table) =>
        places.map((place) => new Reader(nft, { family, table, place }).read(service)),
      ),
    );
    return found.flat();
  };
}

interface Scope {
  readonly family: Family;
  readonly table: string;
  readonly place: Place;
}

class Reader {
  readonly #nft: Nft;
  readonly #scope: Scope;

  constructor(nft: Nft, scope: Scope) {
    this.#nft = nft;
    this.#scope = scope;
  }

  async read(service: string): Promise<readonly KernelPlace[]> {
    const { place } = this.#scope;
    const own = (await this.#map(`${place}s`)).filter(({ comment = "" }) =>
      isOwnedBy(comment, service, longestComment),
    );
    if (own.length === 0) return [];
    const [endpoints, inside, outside, sources] = await Promise.all([
      this.#map(`${place}-endpoints`),
      this.#map(`${place}s-inside`),
      this.#map(`${place}s-outside`),
      this.#sources(),
    ]);
    return own.map((element) => {
      const key = keyText(element.key);
      const pools = poolsOf(endpoints.filter((one) => keyText(one.key.slice(0, -1)) === key));
      const verdicts = {
        all: verdictOf(element),
        inside: verdictOf(inside.find((one) => keyText(one.key) === key)),
        outside: verdictOf(outside.find((one) => keyText(one.key) === key)),
      };
      return this.#placeOf(element, { pools, verdicts, allowed: sources.get(key) });
    });
  }

  #placeOf(element: NftElement, { pools, verdicts, allowed }: Details): KernelPlace {
    const [port = "", protocol = "", address] = element.key.toReversed();
    const isSplit = verdicts.all.endsWith("-split");
    const clients = isSplit ? (["inside", "outside"] as const) : (["all"] as const);
    const stick = clients.map((each) => /-stick-(\d+)/.exec(verdicts[each])?.[1]).find(Boolean);
    return {
      family: this.#scope.family,
      owner: element.comment ?? "",
      address,
      protocol,
      port: Number(port),
      leads: clients.map((each) => leadOf(each, { verdict: verdicts[each], pools })),
      affinitySeconds: stick === undefined ? undefined : Number(stick),
      allowedSources: allowed,
    };
  }

  /** By place: who may come there. Those that have no entry are open to everyone. */
  async #sources(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    const { family, table, place } = this.#scope;
    if (place !== "service") return found;
    for (const { key } of await this.#elements("set", "guarded")) found.set(keyText(key), []);
    if (found.size === 0) return found;
    const { sets } = await this.#nft.objects(wordsOf(family, table).table);
    for (const set of sets) {
      const length = /^sources-(\d+)$/.exec(set)?.[1];
      if (length === undefined) continue;
      for (const { key } of await this.#elements("set", set)) {
        const [source = "", ...to] = key;
        const text = Number(length) === bitsOf(family) ? source : `${source}/${length}`;
        found.get(keyText(to))?.push(text);
      }
    }
    return found;
  }

  #map(name: string): Promise<readonly NftElement[]> {
    return this.#elements("map", name);
  }

  async #elements(kind: "set" | "map", name: string): Promise<readonly NftElement[]> {
    const { family, table } = this.#scope;
    try {
      return await this.#nft.elements({ table: wordsOf(family, table).table, kind, name });
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}

interface Details {
  readonly pools: Pools;
  readonly verdicts: Readonly<Record<Lead["clients"], string>>;
  readonly allowed: readonly string[] | undefined;
}

interface Pools {
  readonly pool: readonly string[];
  readonly outsiders: readonly string[];
}

function poolsOf(elements: readonly NftElement[]): Pools {
  const pool: string[] = [];
  const outsiders: string[] = [];
  for (const { key, value = [] } of elements) {
    const [address = "", port = ""] = value;
    const list = isCarriedByOutsiders(key.at(-1) ?? "") ? outsiders : pool;
    list.push(endpointText({ address, port: Number(port) }));
  }
  return { pool: pool.toSorted(), outsiders: outsiders.toSorted() };
}

function leadOf(
  clients: Lead["clients"],
  { verdict, pools }: { verdict: string; pools: Pools },
): Lead {
  if (verdict === "goto refuse") return { clients, endpoints: [], verdict: "refuse" };
  if (!verdict.startsWith("goto ")) return { clients, endpoints: [], verdict: "drop" };
  const endpoints = clients === "outside" ? pools.outsiders : pools.pool;
  return { clients, endpoints, verdict: "translate" };
}

/** Whoever is not found in the second step is dropped. */
function verdictOf(element: NftElement | undefined): string {
  return element?.value?.[0] ?? "drop";
}

function keyText(key: readonly string[]): string {
  return key.join(" ");
}

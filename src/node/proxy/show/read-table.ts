// Reads the frontends of a service from an nft table, which src/node/proxy/table/elements.ts fills.

import { isNotFound } from "../../../base/host/error.ts";
import type { Nft, NftElement } from "../../../base/host/nft.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";
import { longestComment } from "../table/elements.ts";
import { type Place, wordsOf } from "../table/words.ts";
import { isOwnedBy, type KernelPlace, type Lead } from "./kernel-place.ts";

/** A verdict on a group of clients of a frontend, whose endpoints are asked for. */
export interface Question {
  /** The key of the frontend: address, protocol and port, or only the last two. */
  readonly key: readonly string[];
  readonly verdict: string;
  readonly isForOutsiders: boolean;
}

export interface Target {
  readonly endpoints: readonly string[];
  readonly affinitySeconds: number | undefined;
}

/** Opens the function that finds the endpoints of a verdict, in one proxy mode. */
type OpenTargets = (reader: TableReader) => Promise<(question: Question) => Target>;

interface Scope {
  readonly family: Family;
  readonly table: string;
  readonly place: Place;
}

export class TableReader {
  readonly scope: Scope;
  readonly #nft: Nft;

  constructor(nft: Nft, scope: Scope) {
    this.scope = scope;
    this.#nft = nft;
  }

  async read(service: string, openTargets: OpenTargets): Promise<readonly KernelPlace[]> {
    const { place } = this.scope;
    const own = (await this.map(`${place}s`)).filter(({ comment = "" }) =>
      isOwnedBy(comment, service, longestComment),
    );
    if (own.length === 0) return [];
    const [targetOf, inside, outside, sources] = await Promise.all([
      openTargets(this),
      this.map(`${place}s-inside`),
      this.map(`${place}s-outside`),
      this.#sources(),
    ]);
    return own.map((element) => {
      const key = keyText(element.key);
      const verdicts = {
        all: verdictOf(element),
        inside: verdictOf(inside.find((one) => keyText(one.key) === key)),
        outside: verdictOf(outside.find((one) => keyText(one.key) === key)),
      };
      return this.#placeOf(element, { targetOf, verdicts, allowed: sources.get(key) });
    });
  }

  map(name: string): Promise<readonly NftElement[]> {
    return this.#elements("map", name);
  }

  set(name: string): Promise<readonly NftElement[]> {
    return this.#elements("set", name);
  }

  #placeOf(element: NftElement, { targetOf, verdicts, allowed }: Details): KernelPlace {
    const [port = "", protocol = "", address] = element.key.toReversed();
    const isSplit = verdicts.all.endsWith("-split");
    const clients = isSplit ? (["inside", "outside"] as const) : (["all"] as const);
    const led = clients.map((each) => {
      const verdict = verdicts[each];
      const question = { key: element.key, verdict, isForOutsiders: each === "outside" };
      return { clients: each, verdict, ...(isServed(verdict) ? targetOf(question) : noTarget) };
    });
    return {
      family: this.scope.family,
      owner: element.comment ?? "",
      address,
      protocol,
      port: Number(port),
      leads: led.map(leadOf),
      affinitySeconds: led.find((each) => each.affinitySeconds !== undefined)?.affinitySeconds,
      allowedSources: allowed,
    };
  }

  /** Returns the allowed sources by frontend; one without an entry is open to every source. */
  async #sources(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    const { family, table, place } = this.scope;
    if (place !== "service") return found;
    for (const { key } of await this.set("guarded")) found.set(keyText(key), []);
    if (found.size === 0) return found;
    const { sets } = await this.#nft.objects(wordsOf(family, table).table);
    for (const set of sets) {
      const length = /^sources-(\d+)$/.exec(set)?.[1];
      if (length === undefined) continue;
      for (const { key } of await this.set(set)) {
        const [source = "", ...to] = key;
        const text = Number(length) === bitsOf(family) ? source : `${source}/${length}`;
        found.get(keyText(to))?.push(text);
      }
    }
    return found;
  }

  async #elements(kind: "set" | "map", name: string): Promise<readonly NftElement[]> {
    const { family, table } = this.scope;
    try {
      return await this.#nft.elements({ table: wordsOf(family, table).table, kind, name });
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}

export function keyText(key: readonly string[]): string {
  return key.join(" ");
}

interface Details {
  readonly targetOf: (question: Question) => Target;
  readonly verdicts: Readonly<Record<Lead["clients"], string>>;
  readonly allowed: readonly string[] | undefined;
}

const noTarget: Target = { endpoints: [], affinitySeconds: undefined };

function isServed(verdict: string): boolean {
  return verdict === "accept" || (verdict.startsWith("goto ") && verdict !== "goto refuse");
}

function leadOf({
  clients,
  verdict,
  endpoints,
}: Pick<Lead, "clients" | "endpoints"> & { readonly verdict: string }): Lead {
  if (isServed(verdict)) return { clients, endpoints, verdict: "translate" };
  return { clients, endpoints, verdict: verdict === "goto refuse" ? "refuse" : "drop" };
}

/** Returns the verdict of an element; clients without one in the second look-up are dropped. */
function verdictOf(element: NftElement | undefined): string {
  return element?.value?.[0] ?? "drop";
}

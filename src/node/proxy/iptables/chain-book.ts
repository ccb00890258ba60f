// The proxy's chains as they are in the kernel, and the text that changes them.

import { type FamilySettings, type Frontend, frontendKey } from "../plan/frontend.ts";
import type { FrontendChange } from "../plan/frontend-table.ts";
import { UseCounts } from "../use-counts.ts";
import { bucketChain, type Chain, layout, nodePortChains } from "./layout.ts";
import type { RestoreText } from "./restore-text.ts";
import { type FrontendRules, frontendRules, unusedPortRules } from "./rules.ts";
import { SharedChains } from "./shared-chains.ts";
import { bucketOf } from "./words.ts";

const tables = ["nat", "filter"] as const;

export class ChainBook {
  readonly #settings: FamilySettings;
  readonly #shared = { nat: new SharedChains(), filter: new SharedChains() } as const;
  readonly #clusterIPs = new UseCounts<string>();
  #size = 0;

  constructor(settings: FamilySettings) {
    this.#settings = settings;
  }

  /** The number of rules that services have. */
  get size(): number {
    return this.#size;
  }

  /** Writes all chains, whatever is in the kernel. Returns the chains that there are then. */
  fill(frontends: readonly Frontend[], text: RestoreText): readonly Chain[] {
    const chains = new Map<string, Chain>();
    const write = (chain: Chain): void => {
      chains.set(`${chain.table} ${chain.name}`, chain);
    };
    for (const chain of layout(this.#settings)) write(chain);
    for (const after of frontends) this.#change({ before: undefined, after }, { write });
    for (const chain of this.#takeShared()) write(chain);
    for (const chain of chains.values()) text.write(chain);
    return [...chains.values()];
  }

  change(changes: Iterable<FrontendChange>, text: RestoreText): void {
    const write = (chain: Chain): void => text.write(chain);
    const remove = (name: string): void => text.remove({ table: "nat", name });
    for (const change of changes) this.#change(change, { write, remove });
    for (const chain of this.#takeShared()) text.write(chain);
  }

  #change(
    { before, after }: FrontendChange,
    {
      write,
      remove,
    }: { readonly write: (chain: Chain) => void; readonly remove?: (name: string) => void },
  ): void {
    const old = before && frontendRules(before, this.#settings);
    const wanted = after && frontendRules(after, this.#settings);
    this.#size += countRules(wanted) - countRules(old);
    for (const [name, rules] of wanted?.chains ?? []) {
      const isThere = old?.chains.get(name)?.join("\n") === rules.join("\n");
      if (!isThere) write({ table: "nat", name, rules });
    }
    for (const name of old?.chains.keys() ?? []) if (!wanted?.chains.has(name)) remove?.(name);
    const place = after ?? before;
    if (place !== undefined) {
      const key = frontendKey(place);
      this.#shared.nat.set(sharedChain("nat", place), key, wanted?.dispatch ?? []);
      this.#shared.filter.set(sharedChain("filter", place), key, wanted?.refusals ?? []);
    }
    if (after?.kind === "ClusterIP") this.#clusterIPs.add(after.address ?? "");
    if (before?.kind === "ClusterIP") this.#clusterIPs.remove(before.address ?? "");
  }

  #takeShared(): readonly Chain[] {
    const { begun, ended } = this.#clusterIPs.takeChanges();
    const setUnused = (address: string, rules: readonly string[]): void =>
      // The key "~" sorts after every address, so that these rules come after all rules for ports.
      this.#shared.filter.set(bucketChain("filter", bucketOf(address)), `~${address}`, rules);
    for (const address of ended) setUnused(address, []);
    for (const address of begun) setUnused(address, unusedPortRules(address));
    return tables.flatMap((table) =>
      this.#shared[table].takeTouched().map((name) => ({
        table,
        name,
        rules: this.#shared[table].rules(name),
      })),
    );
  }
}

function countRules(rules: FrontendRules | undefined): number {
  if (rules === undefined) return 0;
  const chained = [...rules.chains.values()].reduce((sum, { length }) => sum + length, 0);
  return chained + rules.dispatch.length + rules.refusals.length;
}

function sharedChain(table: "nat" | "filter", { address }: Frontend): string {
  return address === undefined ? nodePortChains[table] : bucketChain(table, bucketOf(address));
}

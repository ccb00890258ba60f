// What is in the table, as far as it must be known to change it: how many use what is shared.

import type { Family } from "../../net/family.ts";
import type { Frontend } from "../plan/frontend.ts";
import type { FrontendChange } from "../plan/frontend-table.ts";
import { UseCounts } from "../use-counts.ts";
import { Batch } from "./batch.ts";
import { CommandWriter } from "./commands.ts";
import { elementsOf, noElements } from "./elements.ts";
import {
  type Picker,
  pickerName,
  pickerRules,
  sourceRules,
  sourceSet,
  sourceSetName,
} from "./shapes.ts";
import type { Words } from "./words.ts";

const fillAtOnce = 250;

/** Turns changes into commands that belong into one transaction. */
export class Ledger {
  readonly #family: Family;
  readonly #words: Words;
  readonly #write: CommandWriter;
  readonly #clusterIPs = new UseCounts<string>();
  readonly #hairpins = new UseCounts<string>();
  readonly #pickers = new UseCounts<string>();
  readonly #sourceLengths = new UseCounts<number>();
  /** Chains and sets that are in the table but no longer used. */
  #idlePickers = new Set<string>();
  #idleLengths = new Set<number>();
  #size = 0;

  constructor(family: Family, words: Words) {
    this.#family = family;
    this.#words = words;
    this.#write = new CommandWriter(words);
  }

  /** How many elements there are. */
  get size(): number {
    return this.#size;
  }

  /** Whether there is something that `sweep` would remove. */
  get hasIdle(): boolean {
    return this.#idlePickers.size + this.#idleLengths.size > 0;
  }

  /** A few at a time, so that not everything is in memory in several forms at once. */
  fill(frontends: readonly Frontend[]): readonly string[] {
    const commands: string[] = [];
    for (let start = 0; start < frontends.length; start += fillAtOnce) {
      const some = frontends.slice(start, start + fillAtOnce);
      commands.push(...this.change(some.map((after) => ({ before: undefined, after }))));
    }
    return commands;
  }

  change(changes: Iterable<FrontendChange>): readonly string[] {
    const batch = new Batch();
    const pickers = new Map<string, Picker>();
    for (const change of changes) this.#change(change, { batch, pickers });
    this.#takeShared(batch);
    this.#size += batch.growth;
    return [...this.#takePickers(pickers), ...this.#takeSources(), ...batch.commands(this.#write)];
  }

  /**
   * Removes what is no longer used. Not in the transaction that stopped using it: kernels before 6.2
   * refuse that.
   */
  sweep(): readonly string[] {
    const commands = [
      ...[...this.#idlePickers].map((name) => this.#write.delete("chain", name)),
      ...[...this.#idleLengths].map((length) => this.#write.delete("set", sourceSetName(length))),
    ];
    this.#idlePickers = new Set();
    this.#idleLengths = new Set();
    return commands;
  }

  #change(
    { before, after }: FrontendChange,
    { batch, pickers }: { batch: Batch; pickers: Map<string, Picker> },
  ): void {
    const old = before === undefined ? noElements : elementsOf(before);
    const wanted = after === undefined ? noElements : elementsOf(after);
    batch.replace(old.own, wanted.own);
    for (const address of wanted.clusterIPs) this.#clusterIPs.add(address);
    for (const address of old.clusterIPs) this.#clusterIPs.remove(address);
    for (const address of wanted.hairpins) this.#hairpins.add(address);
    for (const address of old.hairpins) this.#hairpins.remove(address);
    for (const length of wanted.sourceLengths) this.#sourceLengths.add(length);
    for (const length of old.sourceLengths) this.#sourceLengths.remove(length);
    for (const picker of wanted.pickers) {
      const name = pickerName(picker);
      pickers.set(name, picker);
      this.#pickers.add(name);
    }
    for (const picker of old.pickers) this.#pickers.remove(pickerName(picker));
  }

  #takeShared(batch: Batch): void {
    for (const [set, counts] of [
      ["cluster-ips", this.#clusterIPs],
      ["hairpin", this.#hairpins],
    ] as const) {
      const element = (address: string) => ({
        set,
        key: set === "hairpin" ? `${address} . ${address}` : address,
        rest: "",
      });
      const { begun, ended } = counts.takeChanges();
      for (const address of ended) batch.remove(element(address));
      for (const address of begun) batch.add(element(address));
    }
  }

  #takePickers(wanted: ReadonlyMap<string, Picker>): readonly string[] {
    const { begun, ended } = this.#pickers.takeChanges();
    const missing = begun.filter((name) => !this.#idlePickers.delete(name));
    for (const name of ended) this.#idlePickers.add(name);
    return missing.flatMap((name) => {
      const picker = wanted.get(name);
      return picker === undefined ? [] : this.#write.chain(name, pickerRules(picker, this.#words));
    });
  }

  #takeSources(): readonly string[] {
    const { begun, ended } = this.#sourceLengths.takeChanges();
    if (begun.length + ended.length === 0) return [];
    const missing = begun.filter((length) => !this.#idleLengths.delete(length));
    for (const length of ended) this.#idleLengths.add(length);
    const lengths = this.#sourceLengths.keys.toSorted((one, other) => one - other);
    const rules = sourceRules(lengths, { family: this.#family, words: this.#words });
    return [
      ...missing.map((length) => this.#write.add("set", sourceSet(length, this.#words))),
      this.#write.flushChain("check-source"),
      ...this.#write.rules("check-source", rules),
    ];
  }
}

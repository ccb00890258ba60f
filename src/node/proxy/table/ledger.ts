// The use counts of what frontends share in a table, as far as changes need them.

import type { Family } from "../../../base/net/family.ts";
import { UseCounts } from "../use-counts.ts";
import { Batch } from "./batch.ts";
import { CommandWriter } from "./commands.ts";
import type { TableElements } from "./elements.ts";
import { sourceRules, sourceSet, sourceSetName } from "./sources.ts";
import type { Words } from "./words.ts";

export class TableLedger {
  readonly #family: Family;
  readonly #words: Words;
  readonly #write: CommandWriter;
  /** The use counts of shared keys, by set. */
  readonly #shared = new Map<string, UseCounts<string>>();
  readonly #sourceLengths = new UseCounts<number>();
  /** The prefix lengths whose source sets are in the table but no longer used. */
  #idleLengths = new Set<number>();
  #batch = new Batch();
  #size = 0;

  constructor(family: Family, words: Words) {
    this.#family = family;
    this.#words = words;
    this.#write = new CommandWriter(words);
  }

  /** The number of elements in the table. */
  get size(): number {
    return this.#size;
  }

  /** Whether `takeIdle` has something to remove. */
  get hasIdle(): boolean {
    return this.#idleLengths.size > 0;
  }

  change(before: TableElements, after: TableElements): void {
    this.#batch.replace(before.own, after.own);
    for (const [set, keys] of Object.entries(after.shared)) {
      for (const key of keys) this.#countsOf(set).add(key);
    }
    for (const [set, keys] of Object.entries(before.shared)) {
      for (const key of keys) this.#countsOf(set).remove(key);
    }
    for (const length of after.sourceLengths) this.#sourceLengths.add(length);
    for (const length of before.sourceLengths) this.#sourceLengths.remove(length);
  }

  /** Returns the commands of the changes so far, for one transaction. */
  takeCommands(): readonly string[] {
    const batch = this.#batch;
    this.#batch = new Batch();
    for (const [set, counts] of this.#shared) {
      const { begun, ended } = counts.takeChanges();
      for (const key of ended) batch.remove({ set, key, rest: "" });
      for (const key of begun) batch.add({ set, key, rest: "" });
    }
    this.#size += batch.growth;
    return [...this.#takeSources(), ...batch.commands(this.#write)];
  }

  /**
   * Returns the commands that remove unused sets. They must not be in the transaction that stops using
   * them: kernels before 6.2 refuse that.
   */
  takeIdle(): readonly string[] {
    const lengths = [...this.#idleLengths];
    this.#idleLengths = new Set();
    return lengths.map((length) => this.#write.delete("set", sourceSetName(length)));
  }

  #countsOf(set: string): UseCounts<string> {
    const known = this.#shared.get(set);
    if (known !== undefined) return known;
    const counts = new UseCounts<string>();
    this.#shared.set(set, counts);
    return counts;
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

// What is in the table beside the virtual services, as far as it must be known to change it.

import type { Family } from "../../net/family.ts";
import { Batch } from "../nftables/batch.ts";
import { CommandWriter } from "../nftables/commands.ts";
import { sourceRules, sourceSet, sourceSetName } from "../nftables/shapes.ts";
import type { Words } from "../nftables/words.ts";
import { UseCounts } from "../use-counts.ts";
import type { Parts } from "./elements.ts";

/** Sets whose elements several frontends may need. */
const sharedSets = ["addresses", "cluster-ips", "hairpin"] as const;

export class TableLedger {
  readonly #family: Family;
  readonly #words: Words;
  readonly #write: CommandWriter;
  readonly #shared = new Map(sharedSets.map((set) => [set, new UseCounts<string>()]));
  readonly #sourceLengths = new UseCounts<number>();
  #idleLengths = new Set<number>();
  #batch = new Batch();
  #size = 0;

  constructor(family: Family, words: Words) {
    this.#family = family;
    this.#words = words;
    this.#write = new CommandWriter(words);
  }

  /** How many elements frontends have of their own. */
  get size(): number {
    return this.#size;
  }

  change(before: Parts, after: Parts): void {
    this.#batch.replace(before.elements, after.elements);
    this.#size += after.elements.length - before.elements.length;
    for (const [set, counts] of this.#shared) {
      for (const address of sharedOf(after, set)) counts.add(address);
      for (const address of sharedOf(before, set)) counts.remove(address);
    }
    for (const length of after.sourceLengths) this.#sourceLengths.add(length);
    for (const length of before.sourceLengths) this.#sourceLengths.remove(length);
  }

  /** Commands that belong into one transaction. */
  takeCommands(): readonly string[] {
    const batch = this.#batch;
    this.#batch = new Batch();
    for (const [set, counts] of this.#shared) {
      const { begun, ended } = counts.takeChanges();
      for (const address of ended) batch.remove(sharedElement(set, address));
      for (const address of begun) batch.add(sharedElement(set, address));
    }
    return [...this.#takeSources(), ...batch.commands(this.#write)];
  }

  /** Commands that remove what is no longer used; kernels before 6.2 want them by themselves. */
  takeIdle(): readonly string[] {
    const lengths = [...this.#idleLengths];
    this.#idleLengths = new Set();
    return lengths.map((length) => this.#write.delete("set", sourceSetName(length)));
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

function sharedOf(parts: Parts, set: (typeof sharedSets)[number]): readonly string[] {
  if (set === "addresses") return parts.addresses;
  return set === "hairpin" ? parts.hairpins : parts.clusterIPs;
}

function sharedElement(set: string, address: string) {
  return { set, key: set === "hairpin" ? `${address} . ${address}` : address, rest: "" };
}

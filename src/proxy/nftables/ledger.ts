// What is in the table, as far as it must be known to change it: how often shared things are used.

import type { Family } from "../../net/family.ts";
import type { Frontend } from "../plan/frontend.ts";
import type { FrontendChange } from "../plan/frontend-table.ts";
import { CommandWriter } from "./commands.ts";
import { type Elements, elementsOf, noElements } from "./elements.ts";
import {
  type Picker,
  pickerName,
  pickerRules,
  sourceRules,
  sourceSet,
  sourceSetName,
} from "./shapes.ts";
import { UseCounts } from "./use-counts.ts";
import type { Words } from "./words.ts";

/** Changes of a table, as commands that belong into one transaction. */
export class Ledger {
  readonly #family: Family;
  readonly #words: Words;
  readonly #write: CommandWriter;
  readonly #shared = new UseCounts<string>();
  readonly #pickers = new UseCounts<string>();
  readonly #sourceLengths = new UseCounts<number>();
  /** Chains and sets that are in the table but no longer used. */
  #idlePickers = new Set<string>();
  #idleLengths = new Set<number>();

  constructor(family: Family, words: Words) {
    this.#family = family;
    this.#words = words;
    this.#write = new CommandWriter(words);
  }

  /** Whether there is something that `sweep` would remove. */
  get hasIdle(): boolean {
    return this.#idlePickers.size + this.#idleLengths.size > 0;
  }

  fill(frontends: Iterable<Frontend>): readonly string[] {
    const batch = new Batch();
    for (const after of frontends) this.#change({ before: undefined, after }, batch);
    return this.#commands(batch);
  }

  change(changes: Iterable<FrontendChange>): readonly string[] {
    const batch = new Batch();
    for (const change of changes) this.#change(change, batch);
    return this.#commands(batch);
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

  #change({ before, after }: FrontendChange, batch: Batch): void {
    const old = before === undefined ? noElements : elementsOf(before);
    const wanted = after === undefined ? noElements : elementsOf(after);
    batch.replace(old, wanted);
    // Uses come before what is no longer used, so that nothing is idle for a moment.
    for (const { set, key } of wanted.shared) {
      if (this.#shared.add(`${set} ${key}`)) batch.add(set, [key, ""]);
    }
    for (const { set, key } of old.shared) {
      if (this.#shared.remove(`${set} ${key}`)) batch.remove(set, key);
    }
    for (const picker of wanted.pickers) this.#usePicker(picker, batch);
    for (const picker of old.pickers) {
      const name = pickerName(picker);
      if (this.#pickers.remove(name)) this.#idlePickers.add(name);
    }
    for (const length of wanted.sourceLengths) {
      if (this.#sourceLengths.add(length)) this.#useLength(length, batch);
    }
    for (const length of old.sourceLengths) {
      if (this.#sourceLengths.remove(length)) {
        this.#idleLengths.add(length);
        batch.changesSources = true;
      }
    }
  }

  #usePicker(picker: Picker, batch: Batch): void {
    const name = pickerName(picker);
    if (!this.#pickers.add(name) || this.#idlePickers.delete(name)) return;
    batch.shapes.push(...this.#write.chain(name, pickerRules(picker, this.#words)));
  }

  #useLength(length: number, batch: Batch): void {
    batch.changesSources = true;
    if (this.#idleLengths.delete(length)) return;
    batch.shapes.push(this.#write.add("set", sourceSet(length, this.#words)));
  }

  #commands(batch: Batch): readonly string[] {
    const lengths = this.#sourceLengths.keys.toSorted((one, other) => one - other);
    const sources = sourceRules(lengths, { family: this.#family, words: this.#words });
    return [
      ...batch.shapes,
      ...(batch.changesSources
        ? [this.#write.flushChain("check-source"), ...this.#write.rules("check-source", sources)]
        : []),
      ...[...batch.removed].flatMap(([set, keys]) => this.#write.deleteElements(set, [...keys])),
      ...[...batch.added].flatMap(([set, elements]) =>
        this.#write.addElements(set, [...elements].map(elementText)),
      ),
    ];
  }
}

class Batch {
  readonly shapes: string[] = [];
  readonly removed = new Map<string, Set<string>>();
  readonly added = new Map<string, Map<string, string>>();
  changesSources = false;

  replace(old: Elements, wanted: Elements): void {
    for (const [set, elements] of old.own) {
      const kept = wanted.own.get(set);
      for (const [key, value] of elements) if (kept?.get(key) !== value) this.remove(set, key);
    }
    for (const [set, elements] of wanted.own) {
      const there = old.own.get(set);
      for (const [key, value] of elements) {
        if (there?.get(key) !== value) this.add(set, [key, value]);
      }
    }
  }

  add(set: string, [key, value]: readonly [string, string]): void {
    const elements = this.added.get(set);
    if (elements === undefined) this.added.set(set, new Map([[key, value]]));
    else elements.set(key, value);
  }

  /** What this very batch has added need not be removed. */
  remove(set: string, key: string): void {
    if (this.added.get(set)?.delete(key)) return;
    const keys = this.removed.get(set);
    if (keys === undefined) this.removed.set(set, new Set([key]));
    else keys.add(key);
  }
}

function elementText([key, value]: readonly [string, string]): string {
  return value === "" ? key : `${key} ${value}`;
}

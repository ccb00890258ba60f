// The content of the table as far as changes need it: its elements, and the use of pickers.

import type { Family } from "../../../base/net/family.ts";
import type { Frontend } from "../plan/frontend.ts";
import type { FrontendChange } from "../plan/frontend-table.ts";
import { CommandWriter } from "../table/commands.ts";
import { TableLedger } from "../table/ledger.ts";
import type { Words } from "../table/words.ts";
import { UseCounts } from "../use-counts.ts";
import { elementsOf } from "./elements.ts";
import { type Picker, pickerName, pickerRules } from "./pickers.ts";

const fillAtOnce = 250;

/** Turns changes of frontends into commands for one transaction. */
export class Ledger {
  readonly #words: Words;
  readonly #write: CommandWriter;
  readonly #table: TableLedger;
  readonly #pickers = new UseCounts<string>();
  /** The picker chains that are in the table but no longer used. */
  #idlePickers = new Set<string>();

  constructor(family: Family, words: Words) {
    this.#words = words;
    this.#write = new CommandWriter(words);
    this.#table = new TableLedger(family, words);
  }

  /** The number of elements in the table. */
  get size(): number {
    return this.#table.size;
  }

  /** Whether `sweep` has something to remove. */
  get hasIdle(): boolean {
    return this.#idlePickers.size > 0 || this.#table.hasIdle;
  }

  /**
   * Returns the commands for all frontends, made in small portions, so that not everything is in memory
   * in several forms at once.
   */
  fill(frontends: readonly Frontend[]): readonly string[] {
    const commands: string[] = [];
    for (let start = 0; start < frontends.length; start += fillAtOnce) {
      const some = frontends.slice(start, start + fillAtOnce);
      commands.push(...this.change(some.map((after) => ({ before: undefined, after }))));
    }
    return commands;
  }

  change(changes: Iterable<FrontendChange>): readonly string[] {
    const pickers = new Map<string, Picker>();
    for (const { before, after } of changes) {
      const old = elementsOf(before);
      const wanted = elementsOf(after);
      this.#table.change(old, wanted);
      for (const picker of wanted.pickers) {
        const name = pickerName(picker);
        pickers.set(name, picker);
        this.#pickers.add(name);
      }
      for (const picker of old.pickers) this.#pickers.remove(pickerName(picker));
    }
    return [...this.#takePickers(pickers), ...this.#table.takeCommands()];
  }

  /** Returns the commands that remove unused objects. */
  sweep(): readonly string[] {
    const chains = [...this.#idlePickers].map((name) => this.#write.delete("chain", name));
    this.#idlePickers = new Set();
    return [...chains, ...this.#table.takeIdle()];
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
}

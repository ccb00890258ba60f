import { interpret } from "./nft/testing/interpret.ts";
import { tableText } from "./nft/testing/print.ts";
import { Refusal } from "./nft/testing/refusal.ts";
import { Ruleset } from "./nft/testing/ruleset.ts";
import type { Table } from "./nft/testing/table.ts";
import { nftError } from "./nft/testing/tokens.ts";
import type { Nft, NftElement, NftObjects, NftSet, NftTable } from "./nft.ts";

/**
 * Keeps what scripts add and delete, and refuses what nft and the kernel would: what is missing, already
 * there, or still in use. Rules are plain text whose meaning is not known. Ranges and prefixes are keys like
 * any other here, and timeouts never expire.
 */
export class FakeNft implements Nft {
  /** The scripts that were applied, in order. */
  readonly applied: string[] = [];
  #ruleset = new Ruleset();
  #failure: Error | undefined;

  /** Makes the next `apply` fail and change nothing. */
  failNextApply(error: Error): void {
    this.#failure = error;
  }

  /** The tables as commands that would make them, in one spelling and order. */
  get dump(): string {
    return this.#ruleset.tables.map(tableText).join("");
  }

  async apply(script: string): Promise<void> {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    this.#ruleset = this.#changed(script);
    this.applied.push(script);
  }

  async check(script: string): Promise<void> {
    this.#changed(script);
  }

  async deleteTable({ family, name }: NftTable): Promise<void> {
    await this.apply(`add table ${family} ${name}\ndelete table ${family} ${name}\n`);
  }

  async tables(): Promise<readonly NftTable[]> {
    return this.#ruleset.tables.map(({ id }) => id);
  }

  async objects(table: NftTable): Promise<NftObjects> {
    const { chains, sets } = this.#table(table);
    const named = (kind: "set" | "map"): readonly string[] =>
      [...sets].flatMap(([name, set]) => (set.kind === kind ? name : [])).toSorted();
    return { chains: [...chains.keys()].toSorted(), sets: named("set"), maps: named("map") };
  }

  async elements({ table, kind, name }: NftSet): Promise<readonly NftElement[]> {
    const set = this.#table(table).sets.get(name);
    if (set?.kind !== kind) throw nothing();
    return [...set.elements.values()];
  }

  async text(table: NftTable): Promise<string> {
    return tableText(this.#table(table));
  }

  async outline(table: NftTable): Promise<string> {
    const lines = (await this.text(table)).split("\n");
    return lines.filter((line) => !line.startsWith("add element ")).join("\n");
  }

  #changed(script: string): Ruleset {
    const draft = this.#ruleset.clone();
    interpret(script, draft);
    return draft;
  }

  #table(id: NftTable): Table {
    try {
      return this.#ruleset.table(id);
    } catch (error) {
      throw error instanceof Refusal ? nothing() : error;
    }
  }
}

/** A script, or what nft prints of a table, in the spelling and order of `dump`. */
export function canonicalText(text: string): string {
  const ruleset = new Ruleset();
  interpret(text, ruleset);
  return ruleset.tables.map(tableText).join("");
}

function nothing(): Error {
  return nftError(1, { reason: "not-found", state: "No such file or directory" });
}

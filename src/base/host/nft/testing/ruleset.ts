import type { NftTable } from "../../nft.ts";
import { alreadyExists, notFound } from "./refusal.ts";
import { Table } from "./table.ts";

/** All tables of a network namespace. */
export class Ruleset {
  readonly #tables = new Map<string, Table>();

  get tables(): readonly Table[] {
    return [...this.#tables].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, table]) => table);
  }

  clone(): Ruleset {
    const copy = new Ruleset();
    for (const [key, table] of this.#tables) copy.#tables.set(key, table.clone());
    return copy;
  }

  table(id: NftTable): Table {
    return this.#tables.get(keyOf(id)) ?? notFound();
  }

  addTable(id: NftTable, options: { readonly settings: string; readonly create: boolean }): Table {
    const found = this.#tables.get(keyOf(id));
    if (found !== undefined && options.create) alreadyExists();
    const table = found ?? new Table(id, options.settings);
    this.#tables.set(keyOf(id), table);
    return table;
  }

  deleteTable(id: NftTable): void {
    if (!this.#tables.delete(keyOf(id))) notFound();
  }

  flush(family: string | undefined): void {
    for (const [key, { id }] of this.#tables) {
      if (family === undefined || id.family === family) this.#tables.delete(key);
    }
  }
}

function keyOf({ family, name }: NftTable): string {
  return `${family} ${name}`;
}

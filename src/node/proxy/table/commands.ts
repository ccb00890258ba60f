import type { Words } from "./words.ts";

/** Writes nft commands for one table. */
export class CommandWriter {
  readonly #table: string;

  constructor({ table }: Words) {
    this.#table = `${table.family} ${table.name}`;
  }

  table(verb: "add" | "delete", settings = ""): string {
    return `${verb} table ${this.#table}${settings}`;
  }

  /** Adds an object; `definition` begins with its name. */
  add(kind: "set" | "map" | "chain", definition: string): string {
    return `add ${kind} ${this.#table} ${definition}`;
  }

  delete(kind: "set" | "chain", name: string): string {
    return `delete ${kind} ${this.#table} ${name}`;
  }

  flushChain(name: string): string {
    return `flush chain ${this.#table} ${name}`;
  }

  rules(chain: string, rules: readonly string[]): readonly string[] {
    return rules.map((rule) => `add rule ${this.#table} ${chain} ${rule}`);
  }

  chain(name: string, rules: readonly string[]): readonly string[] {
    return [this.add("chain", name), ...this.rules(name, rules)];
  }

  addElements(set: string, elements: readonly string[]): readonly string[] {
    return inPieces(elements).map((some) => `add element ${this.#table} ${set} { ${some} }`);
  }

  deleteElements(set: string, keys: readonly string[]): readonly string[] {
    return inPieces(keys).map((some) => `delete element ${this.#table} ${set} { ${some} }`);
  }
}

/** The number of elements per command: small, since an error of nft prints the whole line. */
const elementsPerCommand = 200;

function inPieces(elements: readonly string[]): readonly string[] {
  return Array.from({ length: Math.ceil(elements.length / elementsPerCommand) }, (_, n) =>
    elements.slice(n * elementsPerCommand, (n + 1) * elementsPerCommand).join(", "),
  );
}

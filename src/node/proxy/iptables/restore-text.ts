import type { Chain, Jump, Table } from "./layout.ts";

/** Collects the input of `iptables-restore --noflush`. */
export class RestoreText {
  readonly #declared = new Map<Table, Set<string>>();
  readonly #lines = new Map<Table, string[]>();
  readonly #removed = new Map<Table, string[]>();

  /** Declares a chain: it exists afterwards, and is empty. */
  declare({ table, name }: Pick<Chain, "table" | "name">): void {
    const names = this.#declared.get(table);
    if (names === undefined) this.#declared.set(table, new Set([name]));
    else names.add(name);
  }

  write(chain: Chain): void {
    this.declare(chain);
    for (const rule of chain.rules) push(this.#lines, chain.table, `-A ${chain.name} ${rule}`);
  }

  remove(chain: Pick<Chain, "table" | "name">): void {
    this.declare(chain);
    push(this.#removed, chain.table, `-X ${chain.name}`);
  }

  addJump({ table, chain, rule }: Jump): void {
    push(this.#lines, table, `-I ${chain} ${rule}`);
  }

  /**
   * Deletes a jump. In the text this comes before the chain it jumps to is deleted, which would fail
   * while in use.
   */
  removeJump({ table, chain, rule }: Jump): void {
    push(this.#lines, table, `-D ${chain} ${rule}`);
  }

  toString(): string {
    return [...new Set([...this.#declared.keys(), ...this.#lines.keys()])]
      .map((table) =>
        [
          `*${table}`,
          ...[...(this.#declared.get(table) ?? [])].map((name) => `:${name} - [0:0]`),
          ...(this.#lines.get(table) ?? []),
          ...(this.#removed.get(table) ?? []),
          "COMMIT\n",
        ].join("\n"),
      )
      .join("");
  }
}

function push(lists: Map<Table, string[]>, table: Table, line: string): void {
  const list = lists.get(table);
  if (list === undefined) lists.set(table, [line]);
  else list.push(line);
}

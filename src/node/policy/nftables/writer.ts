// Writes the table of one family. Each update is one transaction: at no moment are there no rules, or half of
// them.

import type { CallOptions } from "../../../base/host/command.ts";
import { isNotFound } from "../../../base/host/error.ts";
import type { Nft, NftTable } from "../../../base/host/nft.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { ElementChange } from "../plan/element-book.ts";
import {
  byLength,
  type LayoutOptions,
  layoutCommands,
  layoutVersion,
  lengthRules,
  lengthSet,
} from "./layout.ts";
import { tableOf } from "./words.ts";

export class PolicyWriter {
  #layout: LayoutOptions;
  readonly #nft: Nft;
  readonly #table: NftTable;
  /** The sets for prefix lengths that the table has. */
  #lengths: ReadonlySet<string> = new Set();
  /** The listing of the table after it was written, without elements. */
  #outline: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(nft: Nft, layout: LayoutOptions) {
    this.#nft = nft;
    this.#layout = layout;
    this.#table = tableOf(layout.family);
  }

  get layout(): LayoutOptions {
    return this.#layout;
  }

  /** Sets the prefixes in which traffic of unknown addresses is dropped, from the next replacement on. */
  hold(podPrefixes: readonly Prefix[]): void {
    this.#layout = { ...this.#layout, podPrefixes };
  }

  /** Throws when the kernel does not support such a table; changes nothing. */
  async check(options?: CallOptions): Promise<void> {
    const { family } = this.layout;
    const lengths = byLength.map((name) => `${name}-8`);
    const script = new Script(tableOf(family, "tandem-policy-check"));
    script.add("add table", "");
    for (const [verb, rest] of layoutCommands(this.layout)) script.add(verb, rest);
    this.#addLengths(script, new Set(lengths));
    await this.#nft.check(script.text, options);
  }

  replace(elements: Iterable<ElementChange>, options?: CallOptions): Promise<void> {
    return this.#inTurn(() => this.#replace([...elements], options));
  }

  async #replace(changes: readonly ElementChange[], options?: CallOptions): Promise<void> {
    const lengths = new Set(changes.flatMap(({ set }) => (isByLength(set) ? [set] : [])));
    const script = new Script(this.#table);
    // The table is added first, so that the delete cannot fail for lack of one.
    script.add("add table", "");
    script.add("delete table", "");
    script.add("add table", `{ comment "tandem policies ${layoutVersion}" ; }`);
    for (const [verb, rest] of layoutCommands(this.layout)) script.add(verb, rest);
    this.#addLengths(script, lengths);
    script.elements(changes);
    await this.#nft.apply(script.text, options);
    this.#lengths = lengths;
    await this.#remember(options);
  }

  async apply(changes: readonly ElementChange[], options?: CallOptions): Promise<void> {
    if (changes.length === 0) return;
    const script = new Script(this.#table);
    const wanted = changes.flatMap(({ set, after }) =>
      after !== undefined && isByLength(set) && !this.#lengths.has(set) ? [set] : [],
    );
    const lengths = new Set([...this.#lengths, ...wanted]);
    if (wanted.length > 0) this.#addLengths(script, lengths, this.#lengths);
    script.elements(changes);
    // Elements alone are no part of the outline.
    if (wanted.length === 0) return this.#nft.apply(script.text, options);
    await this.#inTurn(async () => {
      await this.#nft.apply(script.text, options);
      this.#lengths = lengths;
      await this.#remember(options);
    });
  }

  /** Returns whether the rules are still as they were written. */
  isIntact(options?: CallOptions): Promise<boolean> {
    return this.#inTurn(
      async () => this.#outline !== undefined && (await this.#read(options)) === this.#outline,
    );
  }

  async remove(options?: CallOptions): Promise<void> {
    await this.#nft.deleteTable(this.#table, options);
  }

  /** Runs what reads or changes the outline one after the other: nobody takes our own change for a foreign one. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Adds the sets of new prefix lengths, and rewrites the chains so that they look into all of them. */
  #addLengths(script: Script, all: ReadonlySet<string>, there: ReadonlySet<string> = new Set()) {
    const { family } = this.layout;
    for (const set of all) {
      if (!there.has(set)) script.add(...lengthSet(set, family));
    }
    for (const chain of byLength) {
      const lengths = [...all].flatMap((set) =>
        set.startsWith(`${chain}-`) ? [Number(set.slice(chain.length + 1))] : [],
      );
      script.add("flush chain", chain);
      for (const [verb, rest] of lengthRules(chain, lengths, family)) script.add(verb, rest);
    }
  }

  async #remember(options?: CallOptions): Promise<void> {
    this.#outline = await this.#read(options);
  }

  async #read(options?: CallOptions): Promise<string | undefined> {
    try {
      return await this.#nft.outline(this.#table, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function isByLength(set: string): boolean {
  return byLength.some((name) => set.startsWith(`${name}-`) && /-\d+$/.test(set));
}

/**
 * The number of elements in one command, small enough to keep nft's errors, which print the line, readable.
 */
const elementsPerCommand = 200;

class Script {
  readonly #table: string;
  readonly #lines: string[] = [];

  constructor({ family, name }: NftTable) {
    this.#table = `${family} ${name}`;
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  add(verb: string, rest: string): void {
    this.#lines.push(`${verb} ${this.#table} ${rest}`.trimEnd());
  }

  /**
   * Adds commands for element changes. Removals come first, so that a key with a new value can be added
   * again.
   */
  elements(changes: readonly ElementChange[]): void {
    const removed = new Map<string, string[]>();
    const added = new Map<string, string[]>();
    for (const { set, key, before, after } of changes) {
      if (before !== undefined) push(removed, set, key);
      if (after !== undefined) push(added, set, after === "" ? key : `${key} : ${after}`);
    }
    for (const [set, keys] of removed) this.#inPieces("delete element", set, keys);
    for (const [set, texts] of added) this.#inPieces("add element", set, texts);
  }

  #inPieces(verb: string, set: string, texts: readonly string[]): void {
    for (let start = 0; start < texts.length; start += elementsPerCommand) {
      const some = texts.slice(start, start + elementsPerCommand).join(", ");
      this.add(verb, `${set} { ${some} }`);
    }
  }
}

function push(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

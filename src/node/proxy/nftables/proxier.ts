import type { CallOptions } from "../../../base/host/command.ts";
import { isNotFound, isTooLarge } from "../../../base/host/error.ts";
import type { Nft, NftElement, NftSet } from "../../../base/host/nft.ts";
import type { Family } from "../../../base/net/family.ts";
import type { FamilySettings, Frontend } from "../plan/frontend.ts";
import type { Delta } from "../plan/frontend-table.ts";
import type { Proxier } from "../proxier.ts";
import { CommandWriter } from "../table/commands.ts";
import { type Words, wordsOf } from "../table/words.ts";
import { affinityElement } from "./affinity.ts";
import { hookCommands, layoutCommands, layoutVersion } from "./layout.ts";
import { Ledger } from "./ledger.ts";
import { tableName, tableNames } from "./table-names.ts";

interface Options {
  readonly nft: Nft;
  readonly settings: FamilySettings;
}

export function nftablesProxier(options: Options): Proxier {
  return new NftablesProxier(options);
}

interface Content {
  readonly frontends: readonly Frontend[];
  /** The elements of the map `affinity`. */
  readonly remembered: readonly string[];
}

class NftablesProxier implements Proxier {
  readonly family: Family;
  readonly #nft: Nft;
  readonly #settings: FamilySettings;
  #words: Words;
  #ledger: Ledger;

  constructor({ nft, settings }: Options) {
    this.family = settings.family;
    this.#nft = nft;
    this.#settings = settings;
    this.#words = wordsOf(this.family, tableName);
    this.#ledger = new Ledger(this.family, this.#words);
  }

  get size(): number {
    return this.#ledger.size;
  }

  async check(options?: CallOptions): Promise<void> {
    const words = wordsOf(this.family, `${tableName}-check`);
    const commands = [
      ...layoutCommands(this.#settings, words),
      ...new Ledger(this.family, words).fill(everyFeature(this.#settings)),
      ...hookCommands(this.#settings, words),
    ];
    await this.#nft.check(script(commands), options);
  }

  async replace(frontends: readonly Frontend[], options?: CallOptions): Promise<void> {
    const active = await this.#findActive(options);
    const remembered = active === undefined ? [] : await this.#remembered(active, options);
    try {
      await this.#replaceAtOnce({ frontends, remembered }, options);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const name = tableNames.find((one) => one !== active) ?? tableName;
      await this.#replaceByAnother({ name, frontends, remembered }, options);
    }
  }

  async apply(delta: Delta, options?: CallOptions): Promise<void> {
    const commands = this.#ledger.change(delta.values());
    if (commands.length > 0) await this.#nft.apply(script(commands), options);
  }

  async sweep(options?: CallOptions): Promise<boolean> {
    if (this.#ledger.hasIdle) await this.#nft.apply(script(this.#ledger.sweep()), options);
    return true;
  }

  async isIntact(options?: CallOptions): Promise<boolean> {
    return (await this.#findActive(options)) === this.#words.table.name;
  }

  async remove(options?: CallOptions): Promise<void> {
    await this.#nft.apply(script(tableNames.flatMap((name) => this.#without(name))), options);
  }

  /** Finds the one of the two tables that has been completed. */
  async #findActive(options?: CallOptions): Promise<string | undefined> {
    for (const name of tableNames) {
      const layout = await this.#elements(this.#set(name, "layout"), options);
      if (layout.some(({ key }) => key[0] === layoutVersion)) return name;
    }
    return undefined;
  }

  /** Reads which client has which endpoint, so that a new table keeps session affinity. */
  async #remembered(name: string, options?: CallOptions): Promise<readonly string[]> {
    const map = { ...this.#set(name, "affinity"), kind: "map" } as const;
    const elements = await this.#elements(map, options);
    return elements.map(affinityElement);
  }

  #set(table: string, name: string): NftSet {
    return { table: wordsOf(this.family, table).table, kind: "set", name };
  }

  async #elements(set: NftSet, options?: CallOptions): Promise<readonly NftElement[]> {
    try {
      return await this.#nft.elements(set, options);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #replaceAtOnce({ frontends, remembered }: Content, options?: CallOptions): Promise<void> {
    const words = wordsOf(this.family, tableName);
    const ledger = new Ledger(this.family, words);
    const commands = [
      ...tableNames.flatMap((name) => this.#without(name)),
      ...layoutCommands(this.#settings, words),
      ...new CommandWriter(words).addElements("affinity", remembered),
      ...ledger.fill(frontends),
      ...this.#activation(words),
    ];
    await this.#nft.apply(script(commands), options);
    this.#words = words;
    this.#ledger = ledger;
  }

  async #replaceByAnother(
    { name, frontends, remembered }: Content & { readonly name: string },
    options?: CallOptions,
  ): Promise<void> {
    const words = wordsOf(this.family, name);
    const ledger = new Ledger(this.family, words);
    const begin = [...this.#without(name), ...layoutCommands(this.#settings, words)];
    await this.#nft.apply(script(begin), options);
    const write = new CommandWriter(words);
    await this.#applyInPieces(write.addElements("affinity", remembered), options);
    await this.#applyInPieces(ledger.fill(frontends), options);
    const others = tableNames.filter((other) => other !== name);
    const end = [...others.flatMap((other) => this.#without(other)), ...this.#activation(words)];
    await this.#nft.apply(script(end), options);
    this.#words = words;
    this.#ledger = ledger;
  }

  /** Applies commands in pieces as large as a transaction can be. */
  async #applyInPieces(commands: readonly string[], options?: CallOptions): Promise<void> {
    let size = commands.length;
    let start = 0;
    while (start < commands.length) {
      const piece = commands.slice(start, start + size);
      try {
        await this.#nft.apply(script(piece), options);
        start += piece.length;
      } catch (error) {
        if (!isTooLarge(error) || piece.length === 1) throw error;
        size = Math.ceil(piece.length / 2);
      }
    }
  }

  #activation(words: Words): readonly string[] {
    const write = new CommandWriter(words);
    return [
      ...hookCommands(this.#settings, words),
      ...write.addElements("layout", [layoutVersion]),
    ];
  }

  /**
   * Returns the commands that delete a table; it is added first, since it is an error to delete one that
   * does not exist.
   */
  #without(name: string): readonly string[] {
    const write = new CommandWriter(wordsOf(this.family, name));
    return [write.table("add"), write.table("delete")];
  }
}

function script(commands: readonly string[]): string {
  return `${commands.join("\n")}\n`;
}

/** Returns frontends that together need every feature of the kernel that the mode uses. */
function everyFeature({ podPrefix, family }: FamilySettings): readonly Frontend[] {
  const address = family === "IPv4" ? "192.0.2.1" : "2001:db8::1";
  const pool = [{ address, port: 1, isLocal: true }];
  const common = {
    owner: "check",
    protocol: "tcp",
    pool,
    outsiders: pool,
    keepers: [],
    whenEmpty: "reject",
    masquerade: "everyone",
    allowedSources: podPrefix === undefined ? undefined : [podPrefix],
  } as const;
  return [
    { ...common, kind: "LoadBalancer", address, port: 1, affinitySeconds: undefined },
    { ...common, kind: "ExternalIP", address, port: 2, affinitySeconds: 60 },
  ];
}

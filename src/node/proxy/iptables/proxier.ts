import type { CallOptions } from "../../../base/host/command.ts";
import { isNotFound } from "../../../base/host/error.ts";
import type { Iptables } from "../../../base/host/iptables.ts";
import type { Family } from "../../../base/net/family.ts";
import type { FamilySettings, Frontend } from "../plan/frontend.ts";
import type { Delta } from "../plan/frontend-table.ts";
import type { Proxier } from "../proxier.ts";
import { ChainBook } from "./chain-book.ts";
import { type Chain, canaryChain, canaryRule, type Jump, jumps, type Table } from "./layout.ts";
import { RestoreText } from "./restore-text.ts";
import { chainPrefix } from "./words.ts";

interface Options {
  readonly iptables: Iptables;
  readonly settings: FamilySettings;
}

export function iptablesProxier(options: Options): Proxier {
  return new IptablesProxier(options);
}

const tables: readonly Table[] = ["nat", "filter", "raw"];

class IptablesProxier implements Proxier {
  readonly family: Family;
  readonly #iptables: Iptables;
  readonly #settings: FamilySettings;
  #book: ChainBook;

  constructor({ iptables, settings }: Options) {
    this.family = settings.family;
    this.#iptables = iptables;
    this.#settings = settings;
    this.#book = new ChainBook(settings);
  }

  get size(): number {
    return this.#book.size;
  }

  /** Tries the needed rules in a chain that nothing jumps to, and deletes it at once. */
  async check(options?: CallOptions): Promise<void> {
    const nat = { table: "nat", name: `${chainPrefix}CHECK` } as const;
    const text = new RestoreText();
    text.write({
      ...nat,
      rules: [
        "-m addrtype --src-type LOCAL -m comment --comment check -j RETURN",
        "-m statistic --mode random --probability 0.5000000000 -j RETURN",
        `-m recent --name ${nat.name} --rsource --set -j RETURN`,
        "-m mark --mark 0x1000/0x1000 -j MARK --xor-mark 0x1000",
        "-j MASQUERADE --random-fully",
      ],
    });
    text.remove(nat);
    const emptied = text.toString().replace("-X ", `-F ${nat.name}\n-X `);
    await this.#iptables.restore(emptied, options);
  }

  async replace(frontends: readonly Frontend[], options?: CallOptions): Promise<void> {
    const there = await this.#found(options);
    const book = new ChainBook(this.#settings);
    const text = new RestoreText();
    const chains = book.fill(frontends, text);
    const wanted = new Set(chains.map(({ table, name }) => `${table} ${name}`));
    for (const chain of there.chains) {
      if (!wanted.has(`${chain.table} ${chain.name}`)) text.remove(chain);
    }
    const unmet = new Set(jumps(this.#settings).map(jumpKey));
    for (const jump of there.jumps) if (!unmet.delete(jumpKey(jump))) text.removeJump(jump);
    for (const jump of jumps(this.#settings)) if (unmet.has(jumpKey(jump))) text.addJump(jump);
    await this.#iptables.restore(text.toString(), options);
    this.#book = book;
  }

  async apply(delta: Delta, options?: CallOptions): Promise<void> {
    const text = new RestoreText();
    this.#book.change(delta.values(), text);
    const restored = text.toString();
    if (restored !== "") await this.#iptables.restore(restored, options);
  }

  /** Nothing is left to sweep: unused chains are removed by the change that stops using them. */
  async sweep(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Deletes the canary's rule and adds it again, which fails where the rule is missing. */
  async isIntact(options?: CallOptions): Promise<boolean> {
    const text = ["nat", "filter"].map(
      (table) =>
        `*${table}\n-D ${canaryChain} ${canaryRule}\n-A ${canaryChain} ${canaryRule}\nCOMMIT\n`,
    );
    try {
      await this.#iptables.restore(text.join(""), options);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async remove(options?: CallOptions): Promise<void> {
    const { chains, jumps: found } = await this.#found(options);
    const text = new RestoreText();
    for (const jump of found) text.removeJump(jump);
    for (const chain of chains) text.remove(chain);
    if (chains.length + found.length > 0) await this.#iptables.restore(text.toString(), options);
  }

  /** Finds the proxy's chains, and the jumps to them from other chains. */
  async #found(options?: CallOptions): Promise<Found> {
    const chains: Pick<Chain, "table" | "name">[] = [];
    const found: Jump[] = [];
    for (const table of tables) {
      for (const line of (await this.#iptables.save(table, options)).split("\n")) {
        const [, name] = /^:(\S+) -/.exec(line) ?? [];
        if (name?.startsWith(chainPrefix)) chains.push({ table, name });
        const [, chain = "", rule = ""] = /^-A (\S+) (.*)$/.exec(line) ?? [];
        const isJump = !chain.startsWith(chainPrefix) && jumpTarget.test(rule);
        if (isJump) found.push({ table, chain, rule });
      }
    }
    return { chains, jumps: found };
  }
}

interface Found {
  readonly chains: readonly Pick<Chain, "table" | "name">[];
  readonly jumps: readonly Jump[];
}

const jumpTarget = new RegExp(`(?:^| )-[jg] ${chainPrefix}\\S+$`);

function jumpKey({ table, chain, rule }: Jump): string {
  return `${table} ${chain} ${rule}`;
}

import { CommandError, type HostError } from "../../error.ts";

interface Chain {
  /** The policy; "-" for a user-defined chain. */
  policy: string;
  rules: string[];
}

/** A table with its chains, as the kernel would keep it. */
export class IptablesTable {
  readonly chains: Map<string, Chain>;

  constructor(chains: Iterable<readonly [string, Chain]>) {
    this.chains = new Map(
      [...chains].map(([name, { policy, rules }]) => [name, { policy, rules: [...rules] }]),
    );
  }

  /** Declares `:web - [0:0]`: a user-defined chain starts empty, a built-in one only gets its policy. */
  declare(name: string, policy: string): void {
    const chain = this.chains.get(name);
    if (chain !== undefined && chain.policy !== "-") chain.policy = policy;
    else this.chains.set(name, { policy: "-", rules: [] });
  }

  create(name: string): void {
    if (this.chains.has(name)) throw refused("Chain already exists", "already-exists");
    this.chains.set(name, { policy: "-", rules: [] });
  }

  delete(name: string): void {
    const used = [...this.chains.values()].some(({ rules }) =>
      rules.some((r) => target(r) === name),
    );
    if (this.chain(name).rules.length > 0 || used) {
      throw refused("CHAIN_DEL failed (Device or resource busy)", "in-use");
    }
    this.chains.delete(name);
  }

  flush(name: string | undefined): void {
    const chains = name === undefined ? [...this.chains.values()] : [this.chain(name)];
    for (const chain of chains) chain.rules = [];
  }

  setPolicy(name: string, policy: string): void {
    this.chain(name).policy = policy;
  }

  /** Inserts a rule before the one of this number, counting from one. */
  insert(name: string, rule: string, number = this.chain(name).rules.length + 1): void {
    this.#checkTarget(rule);
    this.chain(name).rules.splice(number - 1, 0, rule);
  }

  remove(name: string, rule: string): void {
    const { rules } = this.chain(name);
    const at = /^\d+$/.test(rule) ? Number(rule) - 1 : rules.indexOf(rule);
    if (rules[at] === undefined) {
      throw refused("Bad rule (does a matching rule exist in that chain?)", "not-found");
    }
    rules.splice(at, 1);
  }

  /** The table as iptables-save prints it: built-in chains, then user-defined ones, sorted. */
  text(name: string): string {
    const [own, builtIn] = [this.#named(true).toSorted(), this.#named(false)];
    const names = [...builtIn, ...own];
    return [
      `*${name}`,
      ...names.map((chain) => `:${chain} ${this.chain(chain).policy} [0:0]`),
      ...names.flatMap((chain) => this.chain(chain).rules.map((rule) => `-A ${chain} ${rule}`)),
      "COMMIT\n",
    ].join("\n");
  }

  chain(name: string): Chain {
    const chain = this.chains.get(name);
    if (chain === undefined) throw refused("No chain/target/match by that name", "not-found");
    return chain;
  }

  #named(own: boolean): string[] {
    return [...this.chains].flatMap(([name, { policy }]) => ((policy === "-") === own ? name : []));
  }

  #checkTarget(rule: string): void {
    const name = target(rule);
    if (name === undefined || this.chains.has(name) || targets.has(name)) return;
    throw refused(`Chain '${name}' does not exist`, "not-found");
  }
}

export function refused(state: string, reason: HostError["reason"]): CommandError {
  const options = {
    command: ["iptables-restore", "--noflush"],
    reason,
    exitCode: 1,
    stderr: state,
  };
  return new CommandError(`Cannot run iptables-restore --noflush: exit code 1: ${state}`, options);
}

/** The targets that a rule may have besides a chain. */
const targets = new Set(
  (
    "ACCEPT DROP RETURN QUEUE REJECT DNAT SNAT MASQUERADE REDIRECT NETMAP MARK CONNMARK CT " +
    "NOTRACK LOG NFLOG TRACE TPROXY TCPMSS SET"
  ).split(" "),
);

function target(rule: string): string | undefined {
  return /(?:^| )(?:-j|-g|--jump|--goto) (\S+)/.exec(rule)?.[1];
}

import type { Family } from "../net/family.ts";
import { IptablesTable, refused } from "./iptables/testing/table.ts";
import type { Iptables } from "./iptables.ts";

/**
 * Keeps chains and rules, and refuses what is missing, already there, or in use. Rules are plain text: one
 * that is to be deleted must be spelled as it was added.
 */
export class FakeIptables implements Iptables {
  readonly family: Family;
  /** The texts that were restored, in order. */
  readonly restored: string[] = [];
  readonly #tables = new Map<string, IptablesTable>();

  constructor(family: Family) {
    this.family = family;
  }

  async restore(text: string): Promise<void> {
    let name = "";
    let draft: IptablesTable | undefined;
    for (const raw of text.split("\n")) {
      const line = raw.trim();
      if (line === "" || line.startsWith("#")) continue;
      if (line.startsWith("*")) {
        name = line.slice(1);
        draft = new IptablesTable((this.#tables.get(name) ?? emptyTable(name)).chains);
      } else if (draft === undefined) throw refused(`line ${line} has no table`, "invalid");
      else if (line === "COMMIT") {
        this.#tables.set(name, draft);
        draft = undefined;
      } else carryOut(line, draft);
    }
    if (draft !== undefined) throw refused("COMMIT expected", "invalid");
    this.restored.push(text);
  }

  async save(table: string): Promise<string> {
    return this.#tables.get(table)?.text(table) ?? "";
  }
}

const builtInChains: Readonly<Record<string, string>> = {
  filter: "INPUT FORWARD OUTPUT",
  nat: "PREROUTING INPUT OUTPUT POSTROUTING",
  mangle: "PREROUTING INPUT FORWARD OUTPUT POSTROUTING",
  raw: "PREROUTING OUTPUT",
  security: "INPUT FORWARD OUTPUT",
};

function emptyTable(name: string): IptablesTable {
  const chains = builtInChains[name];
  if (chains === undefined) throw refused(`table name '${name}' invalid`, "invalid");
  return new IptablesTable(
    chains.split(" ").map((chain) => [chain, { policy: "ACCEPT", rules: [] }]),
  );
}

function carryOut(line: string, table: IptablesTable): void {
  const [verb = "", name = "", ...words] = line.split(/\s+/);
  const rest = words.join(" ");
  const [, number, numbered = ""] = /^(\d+) (.+)$/.exec(rest) ?? [];
  if (verb.startsWith(":")) table.declare(verb.slice(1), name);
  else if (verb === "-N") table.create(name);
  else if (verb === "-X") table.delete(name);
  else if (verb === "-F") table.flush(name || undefined);
  else if (verb === "-P") table.setPolicy(name, rest);
  else if (verb === "-A") table.insert(name, rest);
  else if (verb === "-I" && number !== undefined) table.insert(name, numbered, Number(number));
  else if (verb === "-I") table.insert(name, rest, 1);
  else if (verb === "-D") table.remove(name, rest);
  else throw refused(`unknown option "${verb}"`, "invalid");
}

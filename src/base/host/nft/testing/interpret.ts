// Interprets scripts written for nft(8).

import type { NftTable } from "../../nft.ts";
import { blockStatements, type Cursor, statementsOf } from "./cursor.ts";
import { declare } from "./declare.ts";
import { parseElements } from "./elements.ts";
import { alreadyExists, notFound, Refusal } from "./refusal.ts";
import { ruleOf } from "./rule.ts";
import type { Ruleset } from "./ruleset.ts";
import { blockText } from "./specs.ts";
import type { Table } from "./table.ts";
import { nftError, tokenize } from "./tokens.ts";
import { lineOf } from "./words.ts";

/** Applies a script to the ruleset; throws as nft would, and then leaves it half-changed. */
export function interpret(script: string, ruleset: Ruleset): void {
  for (const statement of statementsOf(tokenize(script))) {
    const { line } = statement;
    try {
      carryOut(statement, ruleset);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const state = `Could not process rule: ${error.message}`;
      throw nftError(line, { reason: error.reason, state });
    }
  }
}

function carryOut(cursor: Cursor, ruleset: Ruleset): void {
  if (cursor.peek === "table") return addTable(cursor, { ruleset, create: false });
  const verb = cursor.word("a command");
  if (verb === "add") add(cursor, { ruleset, create: false });
  else if (verb === "create") add(cursor, { ruleset, create: true });
  else if (verb === "insert") insert(cursor, ruleset);
  else if (verb === "delete") remove(cursor, ruleset);
  else if (verb === "flush") flush(cursor, ruleset);
  else throw cursor.unexpected(verb);
  cursor.end();
}

interface Adding {
  readonly ruleset: Ruleset;
  /** Whether an existing object is an error. */
  readonly create: boolean;
}

function add(cursor: Cursor, { ruleset, create }: Adding): void {
  if (cursor.peek === "table") return addTable(cursor, { ruleset, create });
  const kind = objectKind(cursor);
  const table = ruleset.table(tableId(cursor));
  if (kind === "rule") addRule(cursor, table);
  else if (kind === "element") addElements(cursor, { table, create });
  else declare(cursor, { table, kind, create })();
}

/** Adds a table. Its block is declared first, since rules may mention what is declared further down. */
function addTable(cursor: Cursor, { ruleset, create }: Adding): void {
  cursor.word("table");
  const id = tableId(cursor);
  const statements = cursor.done ? [] : blockStatements(cursor.block());
  const isSetting = ({ peek }: Cursor): boolean => peek === "comment" || peek === "flags";
  const [settings, objects] = [
    statements.filter(isSetting),
    statements.filter((s) => !isSetting(s)),
  ];
  const table = ruleset.addTable(id, {
    settings: blockText(settings.map((setting) => lineOf(setting.rest()))),
    create,
  });
  const fills = objects.map((object) =>
    declare(object, { table, kind: objectKind(object), create: false }),
  );
  for (const fill of fills) fill();
}

function addRule(cursor: Cursor, table: Table): void {
  const chain = cursor.word("a chain");
  const end = table.chain(chain).rules.length;
  const place = cursor.takes("index") ? Number(cursor.word("a number")) + 1 : end;
  table.placeRule(chain, ruleOf(cursor.rest()), place);
}

function insert(cursor: Cursor, ruleset: Ruleset): void {
  cursor.expect("rule");
  const table = ruleset.table(tableId(cursor));
  const chain = cursor.word("a chain");
  const index = cursor.takes("index") ? Number(cursor.word("a number")) : 0;
  if (index > 0 && index >= table.chain(chain).rules.length) notFound();
  table.placeRule(chain, ruleOf(cursor.rest()), index);
}

function addElements(cursor: Cursor, { table, create }: { table: Table; create: boolean }): void {
  const name = cursor.word("a set");
  for (const element of parseElements(cursor.block())) {
    if (create && table.hasElement(name, element)) alreadyExists();
    table.addElement(name, element);
  }
}

function remove(cursor: Cursor, ruleset: Ruleset): void {
  const kind = objectKind(cursor);
  const id = tableId(cursor);
  if (kind === "table") return ruleset.deleteTable(id);
  const table = ruleset.table(id);
  const name = cursor.word("a name");
  if (kind === "chain") table.deleteChain(name);
  // nft accepts either word for both.
  else if (kind === "set" || kind === "map") table.deleteSet(name);
  else if (kind === "element") {
    for (const element of parseElements(cursor.block())) table.deleteElement(name, element);
  } else table.deleteObject(`${kind} ${name}`);
}

function flush(cursor: Cursor, ruleset: Ruleset): void {
  const kind = objectKind(cursor);
  if (kind === "ruleset") return ruleset.flush(cursor.done ? undefined : cursor.word("a family"));
  const table = ruleset.table(tableId(cursor));
  if (kind === "table") {
    for (const chain of table.chains.keys()) table.flushChain(chain);
    return;
  }
  const name = cursor.word("a name");
  if (kind === "chain") table.flushChain(name);
  else if (table.set(name).kind === kind) table.flushSet(name);
  else notFound();
}

function objectKind(cursor: Cursor): string {
  const kind = cursor.word("an object");
  return kind === "ct" ? `ct ${cursor.word("an object")}` : kind;
}

const families = ["ip", "ip6", "inet", "arp", "bridge", "netdev"] as const;

function tableId(cursor: Cursor): NftTable {
  const family = families.find((known) => cursor.takes(known)) ?? "ip";
  return { family, name: cursor.word("a table") };
}

import { blockStatements, type Cursor } from "./cursor.ts";
import { parseElements } from "./elements.ts";
import { alreadyExists } from "./refusal.ts";
import { ruleOf } from "./rule.ts";
import { blockText, type ChainSpec, parseChainSetting, parseSet } from "./specs.ts";
import type { Table } from "./table.ts";
import type { Token } from "./tokens.ts";
import { lineOf } from "./words.ts";

interface Declaration {
  readonly table: Table;
  readonly kind: string;
  /** Whether an existing object is an error. */
  readonly create: boolean;
}

/** Declares a chain, set, map or another named object; the function returned adds its contents. */
export function declare(cursor: Cursor, { table, kind, create }: Declaration): () => void {
  const name = cursor.word("a name");
  const block = cursor.done ? [] : cursor.block();
  if (kind === "chain") {
    if (create && table.chains.has(name)) alreadyExists();
    return declareChain(name, { table, block });
  }
  if (kind === "set" || kind === "map") {
    if (create && table.sets.has(name)) alreadyExists();
    const { spec, elements } = parseSet(kind, block);
    table.addSet(name, { kind, spec });
    return () => {
      for (const element of parseElements(elements)) table.addElement(name, element);
    };
  }
  if (!objectKinds.has(kind.replace(" ", "-"))) throw cursor.unexpected(kind);
  declareObject(`${kind} ${name}`, { table, block, create });
  return () => {};
}

const objectKinds = new Set(
  "counter quota limit secmark synproxy flowtable ct-helper ct-timeout ct-expectation".split(" "),
);

interface Body {
  readonly table: Table;
  readonly block: readonly Token[];
}

function declareChain(name: string, { table, block }: Body): () => void {
  let spec: ChainSpec = {};
  const rules: Cursor[] = [];
  for (const statement of blockStatements(block)) {
    const setting = parseChainSetting(statement, table.id.family);
    if (setting === undefined) rules.push(statement);
    else spec = { ...spec, ...setting };
  }
  table.addChain(name, spec);
  return () => {
    for (const rule of rules) {
      table.placeRule(name, ruleOf(rule.rest()), table.chain(name).rules.length);
    }
  };
}

/** Declares a counter or the like; the value it has counted is state, not configuration, and is dropped. */
function declareObject(name: string, { table, block, create }: Body & { create: boolean }): void {
  if (table.objects.has(name)) {
    if (create) alreadyExists();
    return;
  }
  const settings = blockStatements(block).map((statement) => lineOf(statement.rest()));
  const kept = settings.filter((setting) => !/^packets \d+ bytes \d+$/.test(setting));
  table.objects.set(name, blockText(kept));
}

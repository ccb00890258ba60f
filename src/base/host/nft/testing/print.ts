import { elementText } from "./elements.ts";
import { chainText } from "./specs.ts";
import type { Table } from "./table.ts";

/** The table as commands that would make it: declarations, rules, elements, each sorted by name. */
export function tableText(table: Table): string {
  const id = `${table.id.family} ${table.id.name}`;
  const [chains, sets] = [byName(table.chains), byName(table.sets)];
  const lines = [
    `add table ${id}${table.settings}`,
    ...byName(table.objects).map(([name, settings]) => `add ${inTable(name, id)}${settings}`),
    ...sets.map(([name, { kind, spec }]) => `add ${kind} ${id} ${name}${spec.text}`),
    ...chains.map(([name, { spec }]) => `add chain ${id} ${name}${chainText(spec)}`),
    ...chains.flatMap(([name, { rules }]) =>
      rules.map(({ text }) => `add rule ${id} ${name} ${text}`),
    ),
    ...sets.flatMap(([name, { elements }]) =>
      byName(elements).map(
        ([, element]) => `add element ${id} ${name} { ${elementText(element)} }`,
      ),
    ),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The object's name qualified by its table: `counter hits` becomes `counter ip filter hits`. */
function inTable(object: string, id: string): string {
  const space = object.lastIndexOf(" ");
  return `${object.slice(0, space)} ${id}${object.slice(space)}`;
}

const collator = new Intl.Collator("en", { numeric: true });

function byName<Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...map].toSorted(([a], [b]) => collator.compare(a, b));
}

// Documents options: the lists under --help and the tables of the reference.

import { type NamedOption, nameOptions, type Options } from "./options.ts";
import { leftWidthOf, twoColumns } from "./wrap.ts";

/** The option list of a help text: headings and aligned lines, one block per group. */
export function optionHelp(options: Options, width: number): string[] {
  const groups = groupsOf(options).map(([heading, members]) => {
    const rows = members.map(
      (named) => [flagColumn(named), named.option.help + note(named)] as const,
    );
    return { heading, rows };
  });
  const leftWidth = leftWidthOf(groups.flatMap(({ rows }) => rows));
  return groups.flatMap(({ heading, rows }) => [
    `${heading}:`,
    ...twoColumns(rows, { width, leftWidth }),
    "",
  ]);
}

/** Each option that help shows, as its spelling and its explanation. */
export function optionRows(options: Options): (readonly [flag: string, help: string])[] {
  return groupsOf(options).flatMap(([, members]) =>
    members.map(
      (named) => [flagSpellings(named).join(", "), named.option.help + note(named)] as const,
    ),
  );
}

/** A Markdown table of flags with their environment variables, configuration keys and defaults. */
export function optionReference(options: Options): string {
  const rows = groupsOf(options).flatMap(([, members]) =>
    members.map((named) => [
      flagSpellings(named).map(code).join(", "),
      named.env === undefined ? "" : code(named.env),
      named.key === undefined ? "" : code(named.key),
      defaultCell(named),
      named.option.help,
    ]),
  );
  return markdownTable(["flag", "environment", "file", "default", "meaning"], rows);
}

export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [header, header.map(() => "---"), ...rows].map(
    (cells) =>
      `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
  );
  return `${lines.join("\n")}\n`;
}

function groupsOf(options: Options): [string, NamedOption[]][] {
  const visible = nameOptions(options).filter(({ option }) => !option.hidden);
  const groups = Map.groupBy(visible, ({ option }) => option.group ?? "Options");
  return [...groups];
}

function flagColumn(named: NamedOption): string {
  const { short } = named.option;
  return `${short === undefined ? "    " : `-${short}, `}${flagSpellings(named).at(-1)}`;
}

function flagSpellings({ flag, option }: NamedOption): string[] {
  const short = option.short === undefined ? [] : [`-${option.short}`];
  if (!option.type.isSwitch) return [...short, `--${flag} ${option.type.placeholder}`];
  return [...short, option.default === true ? `--[no-]${flag}` : `--${flag}`];
}

function note({ option, env }: NamedOption): string {
  const notes: string[] = [];
  if (option.required) notes.push("required");
  if (hasDefaultWorthSaying(option.default)) notes.push(`default ${option.default}`);
  if (option.env !== undefined && env !== undefined) notes.push(`or $${env}`);
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

function defaultCell({ option }: NamedOption): string {
  if (option.required) return "required";
  return hasDefaultWorthSaying(option.default) ? code(String(option.default)) : "";
}

function hasDefaultWorthSaying(value: string | number | boolean | undefined): boolean {
  return value !== undefined && value !== "" && value !== false;
}

function code(text: string): string {
  return `\`${text}\``;
}

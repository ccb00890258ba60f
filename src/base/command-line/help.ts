// The help texts that `--help` and `tandem help` print, laid out as kubectl does.

import { optionHelp } from "../program/option-help.ts";
import { nameOptions } from "../program/options.ts";
import { leftWidthOf, twoColumns, wrap } from "../program/wrap.ts";
import type { Command, CommandEntry, Example, Program } from "./command.ts";
import { commandName, isGroup, isLeaf } from "./find-command.ts";
import { globalOptions } from "./global-options.ts";

/** The help text of the program, a group or a command, ending with a newline. */
export async function formatHelp(
  program: Program,
  path: readonly CommandEntry[],
  columns = 100,
): Promise<string> {
  const width = Math.min(columns, 100);
  const name = commandName(program, path);
  const last = path.at(-1);
  if (isLeaf(last)) {
    const { command } = await last.load();
    return formatCommand({ name, summary: last.summary, command, width });
  }
  const entries = last !== undefined && isGroup(last) ? last.commands : program.commands;
  const description = last === undefined ? program.description : `${last.summary}.`;
  return formatGroup({ name, description, entries, width });
}

/** The usage of a command, such as `tandem completion SHELL [options]`. */
export function usageLine(name: string, command: Command): string {
  const args = Object.values(command.args ?? {}).map(({ type, required }) => {
    const word = type.isList ? `${type.placeholder}...` : type.placeholder;
    return required ? word : `[${word}]`;
  });
  const rest = command.rest === undefined ? [] : ["--", command.rest];
  return [name, ...args, "[options]", ...rest].join(" ");
}

/** The description of a command, or its summary when it has none. */
export function descriptionOf(summary: string, command: Command): string {
  return command.description === "" ? `${summary}.` : command.description;
}

function formatCommand(about: {
  name: string;
  summary: string;
  command: Command;
  width: number;
}): string {
  const { name, command, width } = about;
  const args = Object.values(command.args ?? {});
  const lines = [...wrap(descriptionOf(about.summary, command), width), ""];
  if (command.examples.length > 0) lines.push("Examples:", ...formatExamples(command.examples));
  if (args.length > 0) {
    const rows = args.map(({ type, help }) => [type.placeholder, help] as const);
    lines.push("Arguments:", ...twoColumns(rows, { width }), "");
  }
  lines.push(
    ...optionHelp({ ...command.options, ...globalOptions }, width),
    "Usage:",
    `  ${usageLine(name, command)}`,
    "",
    ...wrap(otherWays(command), width),
  );
  return `${lines.join("\n")}\n`;
}

function formatGroup(about: {
  name: string;
  description: string;
  entries: readonly CommandEntry[];
  width: number;
}): string {
  const { name, entries, width } = about;
  const visible = entries.filter(({ hidden }) => hidden !== true);
  const headings = Map.groupBy(visible, ({ heading }) => heading ?? "Available Commands");
  const lines = [...wrap(about.description, width), ""];
  const leftWidth = leftWidthOf(visible.map(rowOf));
  for (const [heading, members] of headings) {
    lines.push(`${heading}:`, ...twoColumns(members.map(rowOf), { width, leftWidth }), "");
  }
  lines.push(
    "Usage:",
    `  ${name} COMMAND [options]`,
    "",
    `Use "${name} COMMAND --help" for more information about a command.`,
  );
  return `${lines.join("\n")}\n`;
}

function rowOf({ name, summary }: CommandEntry): readonly [string, string] {
  return [name, summary];
}

function formatExamples(examples: readonly Example[]): string[] {
  return examples.flatMap(({ does, command }) => [`  # ${does}`, `  ${command}`, ""]);
}

/** The paragraph on environment and configuration file, by the example of an option that has both. */
function otherWays(command: Command): string {
  const named = nameOptions({ ...command.options, ...globalOptions });
  const example = named.find(({ env, key }) => env !== undefined && key !== undefined);
  if (example === undefined) return "";
  return (
    `Options can also be given as environment variables and in the file of --config: ` +
    `--${example.flag} is ${example.env}, and ${example.key} in the file.`
  );
}

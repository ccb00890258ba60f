// The Markdown reference of every command, from the same declarations as the help texts.

import { markdownTable, optionReference } from "../program/option-help.ts";
import type { CommandEntry, CommandLeaf, Program } from "./command.ts";
import { commandName, isGroup } from "./find-command.ts";
import { globalOptions } from "./global-options.ts";
import { descriptionOf, usageLine } from "./help.ts";

export async function formatReference(program: Program): Promise<string> {
  const sections = [
    `# ${program.name} reference`,
    program.description,
    ...(await Promise.all(
      leavesOf(program.commands).map(({ path, leaf }) =>
        formatSection(commandName(program, path), leaf),
      ),
    )),
    "## Global options",
    "Every command takes these.",
    optionReference(globalOptions),
  ];
  return `${sections.map((section) => section.trimEnd()).join("\n\n")}\n`;
}

export interface PlacedLeaf {
  readonly path: readonly CommandEntry[];
  readonly leaf: CommandLeaf;
}

/** The commands that are not hidden, in the order of the list. */
export function leavesOf(
  entries: readonly CommandEntry[],
  above: readonly CommandEntry[] = [],
): PlacedLeaf[] {
  return entries
    .filter(({ hidden }) => hidden !== true)
    .flatMap((entry) => {
      const path = [...above, entry];
      return isGroup(entry) ? leavesOf(entry.commands, path) : [{ path, leaf: entry }];
    });
}

async function formatSection(name: string, leaf: CommandLeaf): Promise<string> {
  const { command } = await leaf.load();
  const parts = [`## ${name}`, descriptionOf(leaf.summary, command)];
  parts.push(block("sh", usageLine(name, command)));
  const examples = command.examples.map((each) => `# ${each.does}\n${each.command}`);
  if (examples.length > 0) parts.push(block("sh", examples.join("\n\n")));
  const args = Object.values(command.args ?? {});
  if (args.length > 0) {
    const rows = args.map(({ type, help }) => [`\`${type.placeholder}\``, help]);
    parts.push(markdownTable(["argument", "meaning"], rows).trimEnd());
  }
  const options = Object.values(command.options ?? {}).filter(({ hidden }) => !hidden);
  if (options.length > 0) parts.push(optionReference(command.options ?? {}).trimEnd());
  return parts.join("\n\n");
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

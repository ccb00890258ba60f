// The man page of the program, from the same declarations as the help texts.

import { optionRows } from "../program/option-help.ts";
import type { Command, Program } from "./command.ts";
import { commandName } from "./find-command.ts";
import { globalOptions } from "./global-options.ts";
import { descriptionOf, usageLine } from "./help.ts";
import { leavesOf } from "./reference.ts";

export interface ManualOptions {
  readonly version: string;
  /** The date in the footer, as YYYY-MM-DD. */
  readonly date: string;
}

/** The page in roff, for section 8: the commands of administrators. */
export async function formatManual(program: Program, options: ManualOptions): Promise<string> {
  const { name, description } = program;
  const commands = await Promise.all(
    leavesOf(program.commands).map(async ({ path, leaf }) => {
      const { command } = await leaf.load();
      return commandSection(commandName(program, path), { command, summary: leaf.summary });
    }),
  );
  const lines = [
    `.TH ${name.toUpperCase()} 8 ${options.date} "${name} ${options.version}"`,
    ".SH NAME",
    `${name} \\- ${plain(description)}`,
    ".SH SYNOPSIS",
    `.B ${name}`,
    ".I COMMAND",
    "[options]",
    ".SH COMMANDS",
    ...commands.flat(),
    ".SH GLOBAL OPTIONS",
    "Every command takes these.",
    ...optionLines(globalOptions),
  ];
  return `${lines.join("\n")}\n`;
}

function commandSection(
  name: string,
  { command, summary }: { command: Command; summary: string },
): string[] {
  const args = Object.values(command.args ?? {});
  return [
    `.SS ${plain(usageLine(name, command))}`,
    ...paragraphs(descriptionOf(summary, command)),
    ...args.flatMap(({ type, help }) => [".TP", plain(type.placeholder), plain(help)]),
    ...optionLines(command.options ?? {}),
    ...command.examples.flatMap(({ does, command: words }) => [
      ".PP",
      `${plain(does)}:`,
      ...asIs([words]),
    ]),
  ];
}

function optionLines(options: NonNullable<Command["options"]>): string[] {
  return optionRows(options).flatMap(([flag, help]) => [".TP", `.B ${plain(flag)}`, plain(help)]);
}

function paragraphs(text: string): string[] {
  return text.split("\n\n").flatMap((paragraph) => {
    const lines = paragraph.split("\n");
    if (lines.every((line) => line.startsWith(" "))) return asIs(lines);
    return [".PP", ...lines.map(plain)];
  });
}

function asIs(lines: readonly string[]): string[] {
  return [".PP", ".nf", ...lines.map(plain), ".fi"];
}

/** Text in which roff sees no escapes, no hyphens in place of minus signs, and no request. */
function plain(text: string): string {
  const escaped = text.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

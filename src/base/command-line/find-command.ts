// Finds the command that a command line names.

import { UsageError } from "../program/errors.ts";
import { nameOptions } from "../program/options.ts";
import { nearest } from "../program/suggest.ts";
import type { CommandEntry, CommandGroup, CommandLeaf, Program } from "./command.ts";
import { globalOptions } from "./global-options.ts";

export interface FoundCommand {
  /** The entries from the outermost group to the command; empty for the program itself. */
  readonly path: readonly CommandEntry[];
  /** The command line without the words of the path. */
  readonly argv: readonly string[];
}

/** Finds the command; flags that every command has may stand before its name. */
export function findCommand(program: Program, argv: readonly string[]): FoundCommand {
  const path: CommandEntry[] = [];
  const before: string[] = [];
  let entries: readonly CommandEntry[] | undefined = program.commands;
  let index = 0;
  while (entries !== undefined && index < argv.length) {
    const token = argv[index] ?? "";
    if (token.startsWith("-")) {
      const width = globalFlagWidth(token);
      if (width === 0) break;
      before.push(...argv.slice(index, index + width));
      index += width;
      continue;
    }
    const entry: CommandEntry | undefined = entries.find(({ name }) => name === token);
    if (entry === undefined) throw unknownCommand(program, path, token);
    path.push(entry);
    index += 1;
    entries = isGroup(entry) ? entry.commands : undefined;
  }
  return { path, argv: [...before, ...argv.slice(index)] };
}

export function isGroup(entry: CommandEntry): entry is CommandGroup {
  return "commands" in entry;
}

export function isLeaf(entry: CommandEntry | undefined): entry is CommandLeaf {
  return entry !== undefined && "load" in entry;
}

/** The full name of a command: `tandem`, `tandem ipam`, `tandem ipam pools`. */
export function commandName(program: Program, path: readonly CommandEntry[]): string {
  return [program.name, ...path.map(({ name }) => name)].join(" ");
}

/** How many words a flag and its value take; 0 for a flag that not every command has. */
function globalFlagWidth(token: string): number {
  const [written] = token.split("=", 1);
  const found = nameOptions(globalOptions).find(
    ({ flag, option }) => written === `--${flag}` || written === `-${option.short}`,
  );
  if (found === undefined) return 0;
  return found.option.type.isSwitch === true || token.includes("=") ? 1 : 2;
}

function unknownCommand(
  program: Program,
  path: readonly CommandEntry[],
  token: string,
): UsageError {
  const last = path.at(-1);
  const entries = last !== undefined && isGroup(last) ? last.commands : program.commands;
  const visible = entries.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const meant = nearest(token, visible);
  return new UsageError(
    `Cannot run "${commandName(program, path)} ${token}": there is no such command`,
    meant === undefined ? {} : { hint: `Did you mean "${commandName(program, path)} ${meant}"?` },
  );
}

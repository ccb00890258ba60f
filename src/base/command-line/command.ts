// What a command is, and what it is given when it runs.

import type { ForeignConfig } from "../program/config-file.ts";
import type { Log } from "../program/log.ts";
import type { Options, OptionType, OptionValues } from "../program/options.ts";

/** A line of the list in commands.ts: enough for `tandem help`, without loading the command. */
export type CommandEntry = CommandLeaf | CommandGroup;

interface Listed {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** The heading it stands under in `tandem help`. */
  readonly heading?: "Cluster Commands" | "Programs" | "Other Commands";
  /** Runs, but is not listed. */
  readonly hidden?: boolean;
}

export interface CommandLeaf extends Listed {
  /** Imports the command's file, which exports it as `command`. */
  load(): Promise<{ readonly command: Command }>;
}

export interface CommandGroup extends Listed {
  readonly commands: readonly CommandEntry[];
}

export interface Command<O extends Options = Options, A extends Arguments = Arguments> {
  /** Paragraphs separated by empty lines; indented lines keep their form. */
  readonly description: string;
  readonly examples: readonly Example[];
  readonly options?: O;
  /** Words without a flag, in order; one of a list type takes all that are left. */
  readonly args?: A;
  /** Reads other forms of the file that `--config` names. */
  readonly foreignConfig?: ForeignConfig;
  /** What may follow `--`, such as `COMMAND [ARG...]`; words behind `--` are arguments without it. */
  readonly rest?: string;
  /** Resolves to the exit code, if not 0. */
  run(invocation: Invocation<O, A>): Promise<number | void>;
}

export interface Example {
  /** What it does, as a sentence without a full stop. */
  readonly does: string;
  readonly command: string;
}

export interface Argument<T = unknown> {
  readonly type: OptionType<T>;
  readonly help: string;
  readonly required?: boolean;
}

export type Arguments = Readonly<Record<string, Argument>>;

export interface Invocation<O extends Options = Options, A extends Arguments = Arguments> {
  readonly options: OptionValues<O>;
  readonly args: OptionValues<A>;
  /** What followed `--`. */
  readonly rest: readonly string[];
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Goes to stderr. */
  readonly log: Log;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: Program;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/** The whole command line. */
export interface Program {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly CommandEntry[];
}

/** Gives `run` the types that the declared options and arguments parse to. */
// oxlint-disable-next-line typescript/no-empty-object-type -- a command without options has none
export function defineCommand<const O extends Options = {}, const A extends Arguments = {}>(
  command: Command<O, A>,
): Command<O, A> {
  return command;
}

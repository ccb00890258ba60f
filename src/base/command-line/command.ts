// The declaration of a command, and the invocation it gets when it runs.

import type { ForeignConfig } from "../program/config-file.system.ts";
import type { Log } from "../program/log.ts";
import type { Options, OptionType, OptionValues } from "../program/options.ts";

/** An entry of the list in commands.ts: enough for `tandem help`, without loading the command. */
export type CommandEntry = CommandLeaf | CommandGroup;

interface Listed {
  readonly name: string;
  /** The summary in one line, without a full stop. */
  readonly summary: string;
  /** The heading under which `tandem help` lists the command. */
  readonly heading?: "Cluster Commands" | "Programs" | "Other Commands";
  /** Whether help leaves the command out; it runs all the same. */
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
  /** The description: paragraphs separated by empty lines; indented lines keep their form. */
  readonly description: string;
  readonly examples: readonly Example[];
  readonly options?: O;
  /** The positional arguments, in order; one of a list type takes all words that are left. */
  readonly args?: A;
  /** A reader for other formats of the file that `--config` names. */
  readonly foreignConfig?: ForeignConfig;
  /** The usage of words behind `--`, such as `COMMAND [ARG...]`; without it these are arguments. */
  readonly rest?: string;
  /** Resolves to the exit code, if not 0. */
  run(invocation: Invocation<O, A>): Promise<number | void>;
}

export interface Example {
  /** A sentence that says what the example does, without a full stop. */
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
  /** The words that followed `--`. */
  readonly rest: readonly string[];
  /** The signal that aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** The log, which is written to stderr. */
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

/** The program: its name and the tree of its commands. */
export interface Program {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly CommandEntry[];
}

/** Types the invocation of `run` by what the declared options and arguments parse to. */
// oxlint-disable-next-line typescript/no-empty-object-type -- a command without options has none
export function defineCommand<const O extends Options = {}, const A extends Arguments = {}>(
  command: Command<O, A>,
): Command<O, A> {
  return command;
}

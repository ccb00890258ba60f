// Runs a command line and returns an exit code: 0 done, 1 failed, 2 wrong usage.

import { causesOf, describeError, UsageError } from "../program/errors.ts";
import { createStreamLog } from "../program/log.ts";
import type { OptionValues } from "../program/options.ts";
import { parseOptions, parseTexts } from "../program/parse-options.ts";
import { StopRequested } from "../program/signals.ts";
import type { Arguments, CommandLeaf, Invocation, Program } from "./command.ts";
import { commandName, type FoundCommand, findCommand, isLeaf } from "./find-command.ts";
import { globalOptions } from "./global-options.ts";

export type Surroundings = Pick<Invocation, "stdout" | "stderr" | "env" | "signal"> & {
  readonly argv: readonly string[];
};

export async function runCommandLine(program: Program, around: Surroundings): Promise<number> {
  const asked = { name: program.name };
  try {
    const found = findCommand(program, around.argv);
    asked.name = commandName(program, found.path);
    const leaf = found.path.at(-1);
    if (!isLeaf(leaf) || wantsHelp(found.argv)) return await printHelp(program, found, around);
    return await runLeaf(leaf, found.argv, { program, around });
  } catch (error) {
    return reportFailure(error, asked.name, around);
  }
}

async function runLeaf(
  leaf: CommandLeaf,
  argv: readonly string[],
  context: { readonly program: Program; readonly around: Surroundings },
): Promise<number> {
  const { program, around } = context;
  const { command } = await leaf.load();
  const { env, signal, stdout, stderr } = around;
  const { foreignConfig } = command;
  const options = { ...globalOptions, ...command.options };
  const parsed = await parseOptions(options, { argv, env, foreignConfig });
  const rest = parsed.rest ?? [];
  const words = command.rest === undefined ? [...parsed.words, ...rest] : parsed.words;
  const exitCode = await command.run({
    options: parsed.values,
    args: parseArguments(command.args ?? {}, words),
    rest: command.rest === undefined ? [] : rest,
    signal,
    log: createStreamLog(stderr, parsed.values),
    stdout,
    stderr,
    env,
    program,
  });
  return typeof exitCode === "number" ? exitCode : 0;
}

async function printHelp(
  program: Program,
  found: FoundCommand,
  around: Surroundings,
): Promise<number> {
  // Flags that no command has are refused even when all that is asked for is help.
  if (!isLeaf(found.path.at(-1))) await parseOptions(globalOptions, { argv: found.argv, env: {} });
  const { formatHelp } = await import("./help.ts");
  around.stdout.write(await formatHelp(program, found.path, around.stdout.columns));
  return 0;
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.includes("--help") || flags.includes("-h");
}

function reportFailure(error: unknown, name: string, around: Surroundings): number {
  if (around.signal.aborted) {
    const stop = causesOf(error).find((cause) => cause instanceof StopRequested);
    if (stop !== undefined) return stop.exitCode;
  }
  const lines = [`error: ${describeError(error)}`];
  const hint = hintOf(error);
  if (hint !== undefined) lines.push(hint);
  if (error instanceof UsageError) lines.push(`See '${name} --help' for usage.`);
  else if (isDebugging(around) && error instanceof Error) lines.push(error.stack ?? "");
  around.stderr.write(`${lines.join("\n")}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** The hint on what to do next, if the error carries one. */
function hintOf(error: unknown): string | undefined {
  return error instanceof Error && "hint" in error && typeof error.hint === "string"
    ? error.hint
    : undefined;
}

/** Whether debug logs are on; read from the words, since the parsing of options may have failed. */
function isDebugging({ argv, env }: Surroundings): boolean {
  return /--log-level[= ]debug/.test(argv.join(" ")) || env["TANDEM_LOG_LEVEL"] === "debug";
}

function parseArguments<A extends Arguments>(
  declared: A,
  words: readonly string[],
): OptionValues<A> {
  const left = [...words];
  const entries = Object.entries(declared).map(([property, argument]) => {
    const { type, required } = argument;
    const texts = left.splice(0, type.isList ? left.length : 1);
    if (texts.length > 0) {
      return [property, parseTexts(argument, { texts, written: texts.join(" ") })] as const;
    }
    if (required) {
      throw new UsageError(`Cannot go on without ${type.placeholder}: ${argument.help}`);
    }
    return [property, type.isList ? type.parse([]) : undefined] as const;
  });
  if (left.length > 0) {
    const count = Object.keys(declared).length;
    const taken = count === 0 ? "no argument is" : `only ${count} ${count === 1 ? "is" : "are"}`;
    throw new UsageError(`Cannot use the argument "${left[0]}": ${taken} expected`);
  }
  return Object.fromEntries(entries) as OptionValues<A>;
}

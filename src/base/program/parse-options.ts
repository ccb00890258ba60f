// Parses a command line, the environment and a configuration file into typed values. Flags win over the
// environment, that over the file, that over the defaults.

import type { ForeignConfig } from "./config-file.system.ts";
import { messageOf, UsageError } from "./errors.ts";
import { splitCommandLine } from "./flags.ts";
import {
  type NamedOption,
  nameOptions,
  type Option,
  type Options,
  type OptionValues,
} from "./options.ts";

export interface ParsedOptions<O extends Options> {
  readonly values: OptionValues<O>;
  readonly words: readonly string[];
  /** The words that follow `--`, if there is one. */
  readonly rest: readonly string[] | undefined;
}

export interface OptionInput {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A reader for other formats of the configuration file. */
  readonly foreignConfig?: ForeignConfig | undefined;
}

/** Parses all options; one called `config` names the configuration file. */
export async function parseOptions<const O extends Options>(
  options: O,
  input: OptionInput,
): Promise<ParsedOptions<O>> {
  const named = nameOptions(options);
  const line = splitCommandLine(input.argv, named);
  const sources: Source[] = [flagSource(line.flags), environmentSource(input.env)];
  const config = named.find(({ property }) => property === "config");
  const path = config === undefined ? undefined : resolveOption(config, sources);
  if (typeof path === "string" && path !== "") {
    const { readConfigFile } = await import("./config-file.system.ts");
    sources.push(fileSource(path, await readConfigFile(path, named, input.foreignConfig)));
  }
  const entries = named.map((each) => [each.property, resolveOption(each, sources)] as const);
  return {
    values: Object.fromEntries(entries) as OptionValues<O>,
    words: line.words,
    rest: line.rest,
  };
}

/** Parses the texts of an option; an error names them as `written`. */
export function parseTexts(option: Pick<Option, "type">, given: Given): unknown {
  try {
    return option.type.parse(given.texts);
  } catch (cause) {
    throw new UsageError(`Cannot use ${given.written}: ${messageOf(cause)}`, { cause });
  }
}

interface Given {
  readonly texts: readonly string[];
  /** The flag, variable or key as the user wrote it, for errors. */
  readonly written: string;
}

type Source = (named: NamedOption) => Given | undefined;

function resolveOption(named: NamedOption, sources: readonly Source[]): unknown {
  for (const source of sources) {
    const given = source(named);
    if (given !== undefined) return parseTexts(named.option, given);
  }
  const { option, flag } = named;
  if (option.default !== undefined) {
    const text = String(option.default);
    return parseTexts(option, { texts: [text], written: `the default --${flag}=${text}` });
  }
  if (option.required) throw missing(named);
  return undefined;
}

function flagSource(flags: ReadonlyMap<string, readonly string[]>): Source {
  return ({ property, flag, option }) => {
    const texts = flags.get(property);
    return texts && { texts, written: `--${flag}=${whatCounts(option, texts)}` };
  };
}

function environmentSource(env: OptionInput["env"]): Source {
  return ({ env: variable }) => {
    const text = variable === undefined ? undefined : env[variable];
    return text === undefined ? undefined : { texts: [text], written: `${variable}=${text}` };
  };
}

function fileSource(path: string, file: ReadonlyMap<string, readonly string[]>): Source {
  return ({ property, key, option }) => {
    const texts = file.get(property);
    return texts && { texts, written: `${key}=${whatCounts(option, texts)} in ${path}` };
  };
}

function whatCounts(option: Option, texts: readonly string[]): string | undefined {
  return option.type.isList ? texts.join(",") : texts.at(-1);
}

function missing({ flag, env, key, option }: NamedOption): UsageError {
  const ways = [`--${flag}=${option.type.placeholder}`];
  if (env !== undefined) ways.push(`the environment variable ${env}`);
  if (key !== undefined) ways.push(`${key} in the configuration file`);
  return new UsageError(`Cannot go on without --${flag}: it has no default`, {
    hint: `Give it as ${new Intl.ListFormat("en", { type: "disjunction" }).format(ways)}.`,
  });
}

// Splits a command line into flags and words, without parsing their values yet.

import { UsageError } from "./errors.ts";
import type { NamedOption } from "./options.ts";
import { nearest } from "./suggest.ts";

export interface CommandLine {
  /** The texts of each flag as written, in order, by the property of its option. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** The words that are no flags. */
  readonly words: readonly string[];
  /** The words that follow `--`, if there is one. */
  readonly rest: readonly string[] | undefined;
}

export function splitCommandLine(
  argv: readonly string[],
  options: readonly NamedOption[],
): CommandLine {
  const flags = new Map<string, string[]>();
  const words: string[] = [];
  const pending = [...argv];
  for (let token = pending.shift(); token !== undefined; token = pending.shift()) {
    if (token === "--") return { flags, words, rest: pending };
    if (!token.startsWith("-") || token === "-") {
      words.push(token);
      continue;
    }
    const found = token.startsWith("--")
      ? readLongFlag(token, options)
      : readShortFlag(token, options);
    if (found.after !== undefined) pending.unshift(found.after);
    const text = found.text ?? pending.shift();
    if (text === undefined) {
      throw new UsageError(
        `Cannot use ${token}: it needs a value, --${found.named.flag}=${found.named.option.type.placeholder}`,
      );
    }
    const texts = flags.get(found.named.property);
    if (texts === undefined) flags.set(found.named.property, [text]);
    else texts.push(text);
  }
  return { flags, words, rest: undefined };
}

interface Flag {
  readonly named: NamedOption;
  /** The value, if the token contains it or the flag needs none. */
  readonly text: string | undefined;
  /** The rest of a cluster of short flags, to be read next. */
  readonly after?: string;
}

function readLongFlag(token: string, options: readonly NamedOption[]): Flag {
  const equals = token.indexOf("=");
  const name = equals < 0 ? token.slice(2) : token.slice(2, equals);
  const text = equals < 0 ? undefined : token.slice(equals + 1);
  const named = options.find(({ flag }) => flag === name);
  if (named !== undefined) {
    return { named, text: text ?? (named.option.type.isSwitch ? "true" : undefined) };
  }
  const negated = options.find(({ flag, option }) => option.type.isSwitch && `no-${flag}` === name);
  if (negated === undefined) throw unknownFlag(`--${name}`, options);
  if (text !== undefined) {
    throw new UsageError(`Cannot use ${token}: write --no-${negated.flag}, which takes no value`);
  }
  return { named: negated, text: "false" };
}

/** Reads `-o json`, `-ojson`, `-o=json`, and `-it` for `-i -t`. */
function readShortFlag(token: string, options: readonly NamedOption[]): Flag {
  const letter = token.charAt(1);
  const named = options.find(({ option }) => option.short === letter);
  if (named === undefined) throw unknownFlag(`-${letter}`, options);
  const tail = token.slice(2);
  if (tail.startsWith("=")) return { named, text: tail.slice(1) };
  if (!named.option.type.isSwitch) return { named, text: tail === "" ? undefined : tail };
  return tail === "" ? { named, text: "true" } : { named, text: "true", after: `-${tail}` };
}

function unknownFlag(written: string, options: readonly NamedOption[]): UsageError {
  const visible = options.filter(({ option }) => !option.hidden);
  const names = visible.flatMap(({ flag, option }) =>
    option.type.isSwitch ? [flag, `no-${flag}`] : [flag],
  );
  const meant = written.startsWith("--") ? nearest(written.slice(2), names) : undefined;
  return new UsageError(
    `Cannot use ${written}: there is no such flag`,
    meant === undefined ? {} : { hint: `Did you mean --${meant}?` },
  );
}

// Option types for everything but network values (network-option-types.ts has those).

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { OptionType } from "./options.ts";

export function text(placeholder = "TEXT"): OptionType<string> {
  return scalar({ placeholder, parse: (value) => value });
}

export function integer(
  bounds: { min?: number; max?: number; placeholder?: string } = {},
): OptionType<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  return scalar({
    placeholder: bounds.placeholder ?? "NUMBER",
    parse(value) {
      const number = Number(value);
      if (!/^[+-]?\d+$/.test(value) || !Number.isSafeInteger(number)) {
        throw new Error("expected a whole number");
      }
      if (number < min) throw new Error(`expected at least ${min}`);
      if (number > max) throw new Error(`expected at most ${max}`);
      return number;
    },
  });
}

export function port(): OptionType<number> {
  return integer({ min: 0, max: 65535, placeholder: "PORT" });
}

export function boolean(): OptionType<boolean> {
  return {
    ...scalar({
      placeholder: "true|false",
      parse(value) {
        if (value === "true") return true;
        if (value === "false") return false;
        throw new Error("expected true or false");
      },
    }),
    choices: ["true", "false"],
    isSwitch: true,
  };
}

/** The type of durations, in milliseconds. */
export function duration(): OptionType<number> {
  return scalar({ placeholder: "DURATION", parse: parseDuration });
}

/** The type of ranges of durations, in milliseconds: `1s..5s`, or one duration. */
export function durationRange(): OptionType<{ readonly from: number; readonly to: number }> {
  return scalar({
    placeholder: "DURATION[..DURATION]",
    parse(value) {
      const [from = "", to = from, ...more] = value.split("..");
      const range = { from: parseDuration(from), to: parseDuration(to) };
      if (more.length === 0 && range.from <= range.to) return range;
      throw new Error("expected a duration, or two with the shorter first, such as 1s..5s");
    },
  });
}

export function oneOf<const Choices extends readonly string[]>(
  choices: Choices,
  placeholder?: string,
): OptionType<Choices[number]> {
  return {
    ...scalar({
      placeholder: placeholder ?? choices.join("|"),
      parse(value): Choices[number] {
        if (!choices.includes(value)) throw new Error(`expected one of ${choices.join(", ")}`);
        return value;
      },
    }),
    choices,
  };
}

/**
 * The type of file paths, made absolute; `~/` is the home directory, also where no shell has replaced it. An
 * empty text stays empty, so that a default can be switched off.
 */
export function filePath(placeholder = "FILE"): OptionType<string> {
  return { ...scalar({ placeholder, parse: parsePath }), completes: "files" };
}

export function directoryPath(placeholder = "DIRECTORY"): OptionType<string> {
  return { ...scalar({ placeholder, parse: parsePath }), completes: "directories" };
}

/** The type of lists, separated by commas or by repeating the flag. */
export function listOf<T>(element: OptionType<T>): OptionType<T[]> {
  return {
    ...element,
    placeholder: `${element.placeholder},...`,
    isSwitch: false,
    isList: true,
    parse: (texts) => texts.flatMap(splitAtCommas).map((each) => parseElement(element, each)),
  };
}

/** The type of lists by repeating the flag only, for values that may contain commas. */
export function repeated<T>(element: OptionType<T>): OptionType<T[]> {
  return {
    ...element,
    isSwitch: false,
    isList: true,
    parse: (texts) => texts.map((each) => parseElement(element, each)),
  };
}

/** The type of single values. The last text counts, so that a script can append a flag to override one. */
export function scalar<T>(options: {
  placeholder: string;
  parse(value: string): T;
}): OptionType<T> {
  return {
    placeholder: options.placeholder,
    parse: (texts) => options.parse(texts.at(-1) ?? ""),
  };
}

export function splitAtCommas(value: string): string[] {
  return value.trim() === "" ? [] : value.split(",").map((each) => each.trim());
}

function parseElement<T>(element: OptionType<T>, value: string): T {
  try {
    return element.parse([value]);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if (cause.message.includes(`"${value}"`)) throw cause;
    throw new Error(`"${value}": ${cause.message}`, { cause });
  }
}

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

function parseDuration(value: string): number {
  if (value === "0") return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) {
    throw new Error("expected a number and a unit, such as 250ms, 30s, 5m or 1h30m");
  }
  let milliseconds = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    milliseconds += Number(amount) * (millisecondsPerUnit[unit ?? ""] ?? Number.NaN);
  }
  return milliseconds;
}

function parsePath(value: string): string {
  if (value === "") return "";
  if (value === "~") return homedir();
  return value.startsWith("~/") ? join(homedir(), value.slice(2)) : resolve(value);
}

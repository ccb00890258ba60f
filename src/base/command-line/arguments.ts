// Positional arguments (words without a flag), checked against what the command declares.

import { UsageError } from "../program/errors.ts";
import type { OptionValues } from "../program/options.ts";
import { parseTexts } from "../program/parse-options.ts";
import type { Arguments } from "./command.ts";

export function parseArguments<A extends Arguments>(
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

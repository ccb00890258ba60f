// Regular expressions with RE2's syntax and linear time.
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { CelError, PlainList, type Value } from "../runtime/value.ts";
import type { Library } from "./library.ts";

/** The number of compiled patterns that are kept, the latest ones. */
const mostKept = 256;
const kept = new Map<string, RE2JS | CelError>();

/** Returns the compiled pattern; an error when it is not valid. */
export function compilePattern(pattern: string): RE2JS | CelError {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value ?? "");
  kept.set(pattern, made);
  return made;
}

export function matchesPattern(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern);
  return compiled instanceof CelError ? compiled : compiled.matcher(text).find();
}

export const regex: Library = {
  find: {
    string_find_string: [
      "string.(string) string",
      (text, pattern) => {
        const compiled = compilePattern(pattern as string);
        if (compiled instanceof CelError) return illegal(compiled);
        const matcher = compiled.matcher(text as string);
        return matcher.find() ? (matcher.group() ?? "") : "";
      },
    ],
  },
  findAll: {
    string_find_all_string: [
      "string.(string) list(string)",
      (text, pattern) => findAll(text as string, pattern as string, -1),
    ],
    string_find_all_string_int: [
      "string.(string, int) list(string)",
      (text, pattern, most) => findAll(text as string, pattern as string, Number(most)),
    ],
  },
};

function findAll(text: string, pattern: string, most: number): Value {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return illegal(compiled);
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  while (found.length !== most && matcher.find()) found.push(matcher.group() ?? "");
  return new PlainList(found);
}

function illegal({ message }: CelError): CelError {
  return new CelError(`Illegal regex: ${message}`);
}

function compile(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return new CelError(error.message);
  }
}

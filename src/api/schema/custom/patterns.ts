// Patterns are written for Go's engine, which has its own spellings and never needs more than linear
// time. The same engine in JavaScript keeps both promises.

import { RE2JS, RE2JSSyntaxException } from "re2js";

export type CompiledPattern = { readonly expression: RE2JS } | { readonly refused: string };

export function compilePattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = compile(pattern);
  compiled.set(pattern, result);
  return result;
}

/** A pattern that does not compile matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const result = compilePattern(pattern);
  return "expression" in result && result.expression.matcher(text).find();
}

const compiled = new Map<string, CompiledPattern>();

function compile(pattern: string): CompiledPattern {
  try {
    return { expression: RE2JS.compile(pattern) };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { refused: error.message };
  }
}

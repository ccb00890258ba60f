// Compiles patterns, which are written for Go's RE2: it has its own syntax and needs linear time only. A port
// of RE2 to JavaScript keeps both properties.

import { RE2JS, RE2JSSyntaxException } from "re2js";

export type CompiledPattern = { readonly expression: RE2JS } | { readonly refused: string };

export function compilePattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = compile(pattern);
  compiled.set(pattern, result);
  return result;
}

/** Whether a text matches; a pattern that does not compile matches nothing. */
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

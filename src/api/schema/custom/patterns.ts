// Patterns are written for Go's engine. It differs from JavaScript's in a few spellings, and never
// needs more than linear time, which a request must not need here either.

import { createContext, Script } from "node:vm";

export type CompiledPattern = { readonly expression: RegExp } | { readonly refused: string };

export function compilePattern(pattern: string): CompiledPattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = compile(pattern);
  compiled.set(pattern, result);
  return result;
}

/** A text that cannot be matched in time counts as one that does not match. */
export function matchesPattern(pattern: string, text: string): boolean {
  const result = compilePattern(pattern);
  if ("refused" in result) return false;
  return text.length <= harmlessLength
    ? result.expression.test(text)
    : testInTime(result.expression, text);
}

const compiled = new Map<string, CompiledPattern>();

function compile(pattern: string): CompiledPattern {
  const insensitive = pattern.startsWith("(?i)");
  const source = (insensitive ? pattern.slice(4) : pattern)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$");
  const flags = insensitive ? "i" : "";
  const result = tryCompile(source, `${flags}u`);
  return "refused" in result ? tryCompile(source, flags) : result;
}

function tryCompile(source: string, flags: string): CompiledPattern {
  try {
    return { expression: new RegExp(source, flags) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { refused: error.message };
  }
}

/** Backtracking doubles with every character at worst, so short texts cost nothing. */
const harmlessLength = 16;
const limit = 50;

interface Sandbox {
  expression: RegExp;
  text: string;
}

let sandbox: { readonly globals: Sandbox; readonly run: () => unknown } | undefined;

/** Only code in a context of its own can be stopped from outside. */
function testInTime(expression: RegExp, text: string): boolean {
  sandbox ??= makeSandbox();
  Object.assign(sandbox.globals, { expression, text });
  try {
    return sandbox.run() === true;
  } catch (error) {
    // The error comes from the other context, where `Error` is another class.
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  }
}

function makeSandbox(): NonNullable<typeof sandbox> {
  const globals: Sandbox = { expression: /x/, text: "" };
  const context = createContext(globals);
  const script = new Script("expression.test(text)");
  return { globals, run: () => script.runInContext(context, { timeout: limit }) as unknown };
}

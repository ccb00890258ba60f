// Literals that are arguments of conversions and patterns are checked before anything is evaluated.
import { compilePattern } from "../library/patterns.ts";
import { parseDuration, parseTimestamp } from "../runtime/times.ts";
import { CelError, type Value } from "../runtime/value.ts";
import type { Expr } from "../syntax/ast.ts";
import type { Issue } from "../syntax/source.ts";
import type { Checked } from "./checker.ts";

/** The functions, and the literals that they take. */
const rules: Readonly<Record<string, (text: string) => Value | undefined>> = {
  duration: parseDuration,
  timestamp: parseTimestamp,
  matches: (text) => {
    const compiled = compilePattern(text);
    return compiled instanceof CelError ? compiled : true;
  },
};

export function literalIssues({ root }: Checked): Issue[] {
  const issues: Issue[] = [];
  visit(root, (expr) => {
    if (expr.kind !== "call") return;
    const rule = Object.hasOwn(rules, expr.fn) ? rules[expr.fn] : undefined;
    const argument = expr.args.at(-1);
    if (rule === undefined || argument?.kind !== "literal") return;
    if (typeof argument.value !== "string") return;
    const result = rule(argument.value);
    if (result !== undefined && !(result instanceof CelError)) return;
    issues.push({ at: argument.at, message: `invalid ${expr.fn} argument` });
  });
  return issues;
}

export function visit(expr: Expr, see: (expr: Expr) => void): void {
  see(expr);
  for (const child of children(expr)) visit(child, see);
}

function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

// Literals are checked before anything is evaluated: durations, timestamps, patterns and formats must be valid,
// and the elements of a list or map must be of one type.
import { formatIssue } from "../library/format-string.ts";
import { compilePattern } from "../library/patterns.ts";
import { parseDuration, parseTimestamp } from "../runtime/times.ts";
import { CelError, type Value } from "../runtime/value.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import type { Issue } from "../syntax/source.ts";
import { dynType, sameType, type Type, typeText } from "../types.ts";
import type { Checked } from "./checked.ts";
import { unwrapOptional } from "./unify.ts";

/** The functions, and the literals that they take. */
const rules: Readonly<Record<string, (text: string) => Value | undefined>> = {
  duration: parseDuration,
  timestamp: parseTimestamp,
  matches: (text) => {
    const compiled = compilePattern(text);
    return compiled instanceof CelError ? compiled : true;
  },
};

export function literalIssues(checked: Checked): Issue[] {
  const issues: Issue[] = [];
  visit(checked.root, false, (expr, isFormat) => {
    if (expr.kind === "call") issues.push(...callIssues(checked, expr));
    if (isFormat) return;
    if (expr.kind === "list") {
      const isOptional = (index: number) => expr.optional.has(index);
      issues.push(...mixed(checked, expr.elements, isOptional));
    }
    if (expr.kind === "map") {
      const isOptional = (index: number) => expr.entries[index]?.isOptional === true;
      issues.push(
        ...mixed(
          checked,
          expr.entries.map(({ key }) => key),
          () => false,
        ),
      );
      issues.push(
        ...mixed(
          checked,
          expr.entries.map(({ value }) => value),
          isOptional,
        ),
      );
    }
  });
  return issues;
}

function callIssues(checked: Checked, call: Call): Issue[] {
  const rule = Object.hasOwn(rules, call.fn) ? rules[call.fn] : undefined;
  const argument = call.args.at(-1);
  if (call.fn === "format" && argument?.kind === "list") {
    return formatIssues(checked, call, argument);
  }
  if (rule === undefined || argument?.kind !== "literal") return [];
  if (typeof argument.value !== "string") return [];
  const result = rule(argument.value);
  if (result !== undefined && !(result instanceof CelError)) return [];
  return [{ at: argument.at, message: `invalid ${call.fn} argument` }];
}

function formatIssues(checked: Checked, call: Call, list: Expr & { kind: "list" }): Issue[] {
  const { target } = call;
  if (target?.kind !== "literal" || typeof target.value !== "string") return [];
  const types = list.elements.map((element) => (checked.types.get(element.id) ?? dynType).kind);
  const issue = formatIssue(target.value, types);
  if (issue === undefined) return [];
  const at =
    issue.argument === undefined ? list.at : (list.elements[issue.argument]?.at ?? list.at);
  return [{ at, message: issue.message }];
}

/** Returns the issue of elements that are not all of one type. */
function mixed(
  { types }: Checked,
  elements: readonly Expr[],
  isOptional: (index: number) => boolean,
): Issue[] {
  let expected: Type | undefined;
  for (const [index, element] of elements.entries()) {
    const whole = types.get(element.id) ?? dynType;
    const type = isOptional(index) ? unwrapOptional(whole).type : whole;
    expected ??= type;
    if (sameType(expected, type)) continue;
    const message = `expected type '${typeText(expected)}' but found '${typeText(type)}'`;
    return [{ at: element.at, message }];
  }
  return [];
}

/** Visits all nodes; says of each whether it is an argument of a format. */
function visit(expr: Expr, isFormat: boolean, see: (expr: Expr, isFormat: boolean) => void): void {
  see(expr, isFormat);
  const isCall = expr.kind === "call" && expr.fn === "format";
  for (const child of children(expr)) visit(child, isFormat || isCall, see);
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

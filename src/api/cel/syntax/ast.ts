// The syntax tree of an expression, after macros are expanded.
import type { Literal } from "../runtime/value.ts";

interface Node {
  readonly id: number;
  /** The offset in the source, in code points. */
  readonly at: number;
}

export type Expr =
  | (Node & { readonly kind: "literal"; readonly value: Literal })
  | (Node & { readonly kind: "ident"; readonly name: string })
  | Select
  | Call
  | (Node & {
      readonly kind: "list";
      readonly elements: readonly Expr[];
      /** The indices of elements marked with `?`, which are left out when they have no value. */
      readonly optional: ReadonlySet<number>;
    })
  | (Node & { readonly kind: "map"; readonly entries: readonly MapEntry[] })
  | (Node & {
      readonly kind: "struct";
      readonly name: string;
      readonly fields: readonly StructField[];
    })
  | Comprehension;

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** Says that the expression is `has(…)`: only the presence of the field counts. */
  readonly isTest: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly fn: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface MapEntry {
  readonly id: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface StructField {
  readonly id: number;
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  /** The second variable: the value, when the first is a key or an index. */
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export const accumulatorName = "@result";

/** Returns the dotted name that an expression may be: `a.b.c`. */
export function dottedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.isTest) return undefined;
  const prefix = dottedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

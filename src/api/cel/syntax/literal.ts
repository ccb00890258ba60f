// The values of literals.
import { type Literal, Uint } from "../runtime/value.ts";

import type { Token } from "./lexer.ts";
import { unescapeBytes, unescapeString } from "./unescape.ts";

export interface LiteralValue {
  readonly value: Literal;
  /** What is wrong with the literal, if anything. */
  readonly problem?: string;
}

/** Returns the value of an unsigned number, a text or bytes. */
export function literalOf({ kind, text }: Token): LiteralValue {
  if (kind === "uint") {
    const value = BigInt(text.slice(0, -1));
    const literal = new Uint(BigInt.asUintN(64, value));
    return value >= 2n ** 64n
      ? { value: literal, problem: "invalid uint literal" }
      : { value: literal };
  }
  const value = kind === "string" ? unescapeString(text) : unescapeBytes(text);
  if (value !== undefined) return { value };
  return { value: "", problem: "Syntax error: unable to unescape string" };
}

/** Returns the value of a number, whose sign may stand before it. */
export function numberOf({ kind, text }: Token, isNegative: boolean): LiteralValue {
  if (kind === "double") {
    const size = Number(text);
    const value = isNegative ? -size : size;
    return Number.isFinite(size) ? { value } : { value, problem: "invalid double literal" };
  }
  const whole = isNegative ? -BigInt(text) : BigInt(text);
  const value = BigInt.asIntN(64, whole);
  return value === whole ? { value } : { value, problem: "invalid int literal" };
}

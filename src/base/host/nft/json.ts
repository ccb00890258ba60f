// Parses what `nft --json` prints.

import { defined } from "../../json/defined.ts";
import type { NftElement, NftObjects, NftTable } from "../nft.ts";

type Expression = string | number | boolean | Compound;

/** An expression with one key, which tells its kind. */
interface Compound {
  readonly concat?: readonly Expression[];
  readonly prefix?: { readonly addr: Expression; readonly len: number };
  readonly range?: readonly Expression[];
  readonly elem?: WrappedElement;
  readonly jump?: Target;
  readonly goto?: Target;
  /** The verdicts without a target. */
  readonly accept?: null;
  readonly drop?: null;
  readonly return?: null;
  readonly continue?: null;
}

interface WrappedElement {
  readonly val: Expression;
  readonly comment?: string;
  readonly timeout?: number;
  readonly counter?: { readonly packets: number };
}

interface Target {
  readonly target: string;
}

interface RawSet {
  readonly name: string;
  readonly elem?: readonly (Expression | readonly [Expression, Expression])[];
}

interface RawObject {
  readonly table?: NftTable;
  readonly chain?: { readonly name: string };
  readonly set?: RawSet;
  readonly map?: RawSet;
}

export function readTables(json: string): readonly NftTable[] {
  return objectsOf(json).flatMap(({ table }) =>
    table === undefined ? [] : [{ family: table.family, name: table.name }],
  );
}

export function readObjects(json: string): NftObjects {
  const named = (kind: "chain" | "set" | "map"): readonly string[] =>
    objectsOf(json)
      .flatMap((object) => object[kind]?.name ?? [])
      .toSorted();
  return { chains: named("chain"), sets: named("set"), maps: named("map") };
}

export function readElements(json: string): readonly NftElement[] {
  return objectsOf(json).flatMap(({ set, map }) => ((set ?? map)?.elem ?? []).map(readElement));
}

function objectsOf(json: string): readonly RawObject[] {
  return (JSON.parse(json) as { readonly nftables: readonly RawObject[] }).nftables;
}

function readElement(raw: Expression | readonly [Expression, Expression]): NftElement {
  const [left, value] = isPair(raw) ? raw : [raw];
  const wrapped = typeof left === "object" ? left.elem : undefined;
  const { val, comment, timeout, counter } = wrapped ?? { val: left };
  return {
    key: parts(val),
    ...(value !== undefined && { value: parts(value) }),
    ...defined({ comment, timeoutSeconds: timeout, packets: counter?.packets }),
  };
}

function isPair(
  raw: Expression | readonly [Expression, Expression],
): raw is readonly [Expression, Expression] {
  return Array.isArray(raw);
}

function parts(expression: Expression): readonly string[] {
  const concatenated = typeof expression === "object" ? expression.concat : undefined;
  return (concatenated ?? [expression]).map(text);
}

function text(expression: Expression): string {
  if (typeof expression !== "object") return String(expression);
  const { prefix, range, jump, goto } = expression;
  if (prefix !== undefined) return `${text(prefix.addr)}/${prefix.len}`;
  if (range !== undefined) return range.map(text).join("-");
  if (jump !== undefined) return `jump ${jump.target}`;
  if (goto !== undefined) return `goto ${goto.target}`;
  return Object.keys(expression).join(" ");
}

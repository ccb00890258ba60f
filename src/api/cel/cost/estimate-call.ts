// Estimates what a call can cost, and the size of its result.
import type { Expr } from "../syntax/ast.ts";
import { nameOf, sameType, type Type } from "../types.ts";
import { checkCost, listCost, objectCost, perCharacter, perPatternCharacter } from "./call.ts";
import { nominal } from "./nominal.ts";
import { exactly, nothing, plus, type Range, scaled, times, unknown } from "./range.ts";

export interface Operand {
  readonly type: Type;
  readonly expr: Expr;
  readonly size: Range | undefined;
  /** Returns the type and the size of an element, when the operand is a list. */
  element(): { readonly type: Type; readonly size: Range } | undefined;
}

export interface EstimatedCall {
  readonly fn: string;
  readonly overload: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
}

export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
  /** Says that the cost of the arguments is in it already. */
  readonly isWhole?: boolean;
}

export function estimateCall(call: EstimatedCall): CallEstimate {
  return listCall(call) ?? kubernetesCall(call) ?? standardCall(call);
}

const sizeOf = (operand: Operand | undefined): Range => operand?.size ?? unknown;
const traversal = (size: Range, times_ = 1): Range => scaled(size, times_ * perCharacter);
const matching = (text: Range, pattern: Range): Range =>
  times(traversal(plus(text, exactly(1))), scaled(pattern, perPatternCharacter));

/** The functions of lists and sets that extend the language. */
function listCall({ overload, target, args }: EstimatedCall): CallEstimate | undefined {
  const allocating = (factor: number, size: Range): CallEstimate => ({
    cost: plus(scaled(size, factor), exactly(1 + listCost)),
    size,
  });
  const square = (operand: Operand | undefined) => times(sizeOf(operand), sizeOf(operand));
  const pairs = (factor: number): CallEstimate => ({
    cost: plus(scaled(times(sizeOf(args[0]), sizeOf(args[1])), factor), exactly(1)),
  });
  switch (overload) {
    case "list_slice": {
      const from = literal(args[0], 0);
      return allocating(1, exactly(Math.max(0, literal(args[1], sizeOf(target).max) - from)));
    }
    case "lists_range":
      return allocating(1, exactly(literal(args[0], unknown.max)));
    case "list_reverse":
    case "list_flatten":
      return allocating(1, sizeOf(target));
    case "list_flatten_int":
      return allocating(literal(args[0], unknown.max), sizeOf(target));
    case "list_distinct":
      return allocating(2, square(target));
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return pairs(1);
    case "list_sets_equivalent_list":
      return pairs(2);
    default: {
      const sorted = /^list_(.+)_(sort|sortByAssociatedKeys)$/.exec(overload);
      if (sorted === null) return undefined;
      const isText = sorted[1] === "string" || sorted[1] === "bytes";
      const keys = sorted[2] === "sort" ? target : args[0];
      return allocating(isText ? 2 + perCharacter : 2, square(keys));
    }
  }
}

function literal(operand: Operand | undefined, otherwise: number): number {
  const expr = operand?.expr;
  if (expr?.kind !== "literal" || typeof expr.value !== "bigint") return otherwise;
  return Math.max(0, Number(expr.value));
}

const parsing = new Set("cidr isIP isCIDR quantity isQuantity semver isSemver".split(" "));
const copying = new Set("lowerAscii upperAscii substring trim".split(" "));

/** The functions to which Kubernetes gives a cost. */
function kubernetesCall(call: EstimatedCall): CallEstimate | undefined {
  const { fn, overload, target, args } = call;
  const [first, second] = args;
  if (nominal.has(fn)) return { cost: exactly(1) };
  if (parsing.has(fn)) return { cost: traversal(sizeOf(first)) };
  if (copying.has(fn) && target !== undefined) {
    return { cost: traversal(sizeOf(target)), size: sizeOf(target) };
  }
  switch (fn) {
    case "check":
      return { cost: exactly(checkCost) };
    case "fieldSelector":
    case "labelSelector": {
      const requirements = scaled(scaled(sizeOf(first), 0.5), listCost + objectCost);
      return { cost: plus(exactly(listCost), traversal(sizeOf(first)), requirements) };
    }
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return target && { cost: searchCost(target) };
    case "url":
    case "jsonpatch.escapeKey":
      return { cost: traversal(sizeOf(first)), size: sizeOf(first) };
    case "replace":
      return target && replaceEstimate(sizeOf(target), sizeOf(first), sizeOf(second));
    case "split": {
      const limit = second?.expr.kind === "literal" ? Number(second.expr.value) : undefined;
      // A negative limit is none.
      const bound = limit !== undefined && limit < 0 ? unknown.max : limit;
      const max = bound ?? sizeOf(target).max;
      return { cost: traversal(sizeOf(target), 2), size: { min: 0, max } };
    }
    case "join":
      return target && joinEstimate(target, first);
    case "find":
    case "findAll": {
      const size = { min: 0, max: sizeOf(target).max };
      return { cost: matching(sizeOf(target), sizeOf(first)), size };
    }
    case "ip":
      return { cost: overload === "cidr_ip" ? exactly(1) : traversal(sizeOf(first)) };
    case "ip.isCanonical":
      return { cost: traversal(sizeOf(first), 2) };
    case "containsIP":
    case "containsCIDR":
      return { cost: containsCost(call) };
    case "validate":
      return { cost: scaled(traversal(sizeOf(first)), 128 * perPatternCharacter) };
    case "_==_":
      return opaqueEquality(first, second);
    default:
      return undefined;
  }
}

function searchCost(target: Operand): Range {
  const element = target.element();
  if (element === undefined) return traversal(sizeOf(target));
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  const each = isText ? plus(exactly(1), traversal(element.size)) : exactly(1);
  return times(sizeOf(target), each);
}

function replaceEstimate(text: Range, old: Range, by: Range): CallEstimate {
  let most = { count: 0, kept: 0 };
  if (old.min === 0) most = { count: text.max + 1, kept: text.max };
  else if (by.max <= old.min) most = { count: 0, kept: text.max };
  else most = { count: Math.ceil(text.max / old.min), kept: 0 };
  let least = { count: 0, kept: 0 };
  if (old.max === 0) least = { count: text.min + 1, kept: text.min };
  else if (old.max <= by.min) least = { count: 0, kept: text.min };
  else least = { count: Math.ceil(text.min / old.max), kept: 0 };
  const count = { min: least.count, max: most.count };
  const size = plus(times(count, by), { min: least.kept, max: most.kept });
  return { cost: traversal(text, 2), size };
}

function joinEstimate(target: Operand, separator: Operand | undefined): CallEstimate {
  const list = sizeOf(target);
  const element = target.element();
  let size = element === undefined ? nothing : times(list, element.size);
  if (separator !== undefined) {
    const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = plus(size, times(sizeOf(separator), gaps));
  }
  return { cost: traversal(size), size };
}

function containsCost({ fn, overload, args }: EstimatedCall): Range {
  const address = { min: 4, max: 16 };
  let cost = traversal(plus(address, address));
  if (fn === "containsCIDR") cost = plus(cost, traversal(address), exactly(1));
  return overload.endsWith("_string") ? plus(cost, traversal(sizeOf(args[0]))) : cost;
}

const constantTypes = /^(?:net\.(?:IP|CIDR)|kubernetes\.(?:Quantity|Semver|authorization\..*))$/;

function opaqueEquality(a: Operand | undefined, b: Operand | undefined): CallEstimate | undefined {
  if (a === undefined || b === undefined || !sameType(a.type, b.type)) return undefined;
  if (a.type.kind !== "opaque" && a.type.kind !== "object") return undefined;
  const name = nameOf(a.type);
  if (constantTypes.test(name)) return { cost: exactly(1) };
  if (name === "kubernetes.NamedFormat") return { cost: traversal({ min: 1, max: 64 }) };
  if (name === "kubernetes.URL") return { cost: traversal({ min: 1, max: b.size?.max ?? 1 }) };
  return undefined;
}

const ordering = /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/;

/** The costs of the language itself. */
function standardCall({ overload, target, args }: EstimatedCall): CallEstimate {
  const [first, second] = args;
  const size = sizeOf(first);
  switch (overload) {
    case "string_format":
      return { cost: traversal(sizeOf(target)) };
    case "string_to_bytes":
      return { cost: traversal(size), size: { min: size.min, max: size.max * 4 } };
    case "bytes_to_string":
      return { cost: traversal(size), size: { min: Math.floor(size.min / 4), max: size.max } };
    case "strings_quote":
      return { cost: traversal(size), size: { min: size.min + 2, max: size.max * 2 + 2 } };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: traversal(size) };
    case "in_list":
      return { cost: sizeOf(second) };
    case "matches_string":
      return { cost: matching(sizeOf(target), size) };
    case "contains_string":
      return { cost: times(traversal(sizeOf(target)), traversal(size)) };
    default: {
      const isCompared =
        overload === "equals" || overload === "not_equals" || ordering.test(overload);
      if (!isCompared) return { cost: exactly(1) };
      const most = Math.min(size.max, sizeOf(second).max);
      return { cost: traversal({ min: most > 0 ? 1 : 0, max: most }) };
    }
  }
}

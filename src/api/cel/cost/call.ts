// What a call has cost, from the sizes of its arguments and its result.
import { Steps } from "../runtime/steps.ts";
import { ListValue, MapValue, Opaque, sizeOf, type Value } from "../runtime/value.ts";
import { nominal } from "./nominal.ts";

/** The cost of reading one character of a text, and of one character of a pattern. */
export const perCharacter = 0.1;
export const perPatternCharacter = 0.25;
export const listCost = 10;
export const mapCost = 30;
export const objectCost = 40;
/** The cost of a question to the authorizer. */
export const checkCost = 350_000;

export interface CalledFunction {
  readonly fn: string;
  /** The id of the overload; empty when the types leave several. */
  readonly overload: string;
}

/** Returns the function of the cost of a call that is about to be made, without that of its result. */
export function costOf(called: CalledFunction): (args: readonly Value[]) => number {
  const { fn, overload } = called;
  if (nominal.has(fn)) return () => 1;
  const isSized = sized.has(fn) || traversing.has(fn) || sizedOverloads.test(overload);
  if (!isSized) return () => 1;
  return (args) => byOverload(called, args) ?? byFunction(called, args) ?? standard(called, args);
}

/** The functions whose cost depends on the sizes of their arguments. */
const sized = new Set(
  (
    "check fieldSelector labelSelector isSorted sum max min indexOf lastIndexOf replace split " +
    "ip.isCanonical join find findAll ip containsIP containsCIDR validate _==_ _!=_ sort " +
    "@sortByAssociatedKeys slice lists.range reverse flatten distinct sets.contains " +
    "sets.intersects sets.equivalent startsWith endsWith bytes strings.quote format @in contains matches"
  ).split(" "),
);
const sizedOverloads = /string|bytes/;

/** Returns whether the cost of a call depends on its result. */
export function hasResultCost({ fn }: CalledFunction): boolean {
  return fn === "join" || fn === "slice" || fn === "lists.range" || fn === "reverse";
}

/** Returns the cost of making a result, for the functions whose cost depends on its size. */
export function resultCost({ fn, overload }: CalledFunction, result: Value): number {
  if (fn === "join") return Math.ceil(sizeOf(result) * 2 * perCharacter);
  const makesList =
    overload === "list_slice" || overload === "lists_range" || overload === "list_reverse";
  return makesList ? sizeOf(result) : 0;
}

const sizeAt = (args: readonly Value[], index: number) => sizeOf(args[index] as Value);
const traversal = (size: number, times = 1) => Math.ceil(size * times * perCharacter);

/** The list functions that make a new list. */
function byOverload({ overload, fn }: CalledFunction, args: readonly Value[]): number | undefined {
  const allocating = (factor: number, size: number) => Math.trunc(size * factor) + 1 + listCost;
  switch (overload) {
    case "list_slice":
    case "lists_range":
    case "list_reverse":
      return allocating(1, 0);
    case "list_flatten":
      return allocating(1, sizeAt(args, 0));
    case "list_flatten_int":
      return allocating(Number(args[1]), sizeAt(args, 0));
    case "list_distinct":
      return allocating(selfCompareFactor(args[0]), sizeAt(args, 0) ** 2);
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return Math.trunc(sizeAt(args, 0) * sizeAt(args, 1)) + 1;
    case "list_sets_equivalent_list":
      return Math.trunc(sizeAt(args, 0) * sizeAt(args, 1) * 2) + 1;
    default:
      if (overload === "" || (fn !== "sort" && fn !== "@sortByAssociatedKeys")) return undefined;
      return allocating(selfCompareFactor(args.at(-1)), sizeOf(args.at(-1) as Value) ** 2);
  }
}

function selfCompareFactor(list: Value | undefined): number {
  if (!(list instanceof ListValue) || list.size === 0) return 2;
  const first = list.at(0);
  return typeof first === "string" || first instanceof Uint8Array ? 2 + perCharacter : 2;
}

/** The functions of Kubernetes' libraries, and those of others to which Kubernetes gives a cost. */
function byFunction({ fn, overload }: CalledFunction, args: readonly Value[]): number | undefined {
  if (nominal.has(fn)) return 1;
  if (traversing.has(fn)) return args.length >= 1 ? traversal(sizeAt(args, 0)) : undefined;
  switch (fn) {
    case "check":
      return checkCost;
    case "fieldSelector":
    case "labelSelector": {
      const size = sizeAt(args, 1);
      const requirements = Math.ceil(Math.ceil(size * 0.5) * (listCost + objectCost));
      return listCost + traversal(size) + requirements;
    }
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return traversalCost(args[0] as Value);
    case "replace":
    case "split":
    case "ip.isCanonical":
      return traversal(sizeAt(args, 0), 2);
    case "join":
      return 0;
    case "find":
    case "findAll":
      return matchCost(sizeAt(args, 0), sizeAt(args, 1));
    case "ip":
      return overload === "cidr_ip" ? 1 : traversal(sizeAt(args, 0));
    case "containsIP":
    case "containsCIDR":
      return containsCost(fn, overload, args);
    case "validate": {
      const format = args[0] as Opaque & { maxPattern?: number };
      return matchCost(sizeAt(args, 1), format.maxPattern ?? 0);
    }
    case "_==_":
      return args[0] instanceof Opaque ? 1 : undefined;
    default:
      return undefined;
  }
}

const traversing = new Set(
  (
    "url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR quantity " +
    "isQuantity semver isSemver"
  ).split(" "),
);

function matchCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * perCharacter) * Math.ceil(pattern * perPatternCharacter);
}

function containsCost(fn: string, overload: string, args: readonly Value[]): number {
  const size = sizeAt(args, 0);
  let cost = traversal(size + size);
  if (fn === "containsCIDR") cost += traversal(size) + 1;
  return overload.endsWith("_string") ? cost + traversal(sizeAt(args, 1)) : cost;
}

/** Returns the cost of reading all of a value. */
function traversalCost(value: Value, steps = new Steps()): number {
  steps.take();
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * perCharacter);
  let cost = 0;
  if (value instanceof ListValue) {
    for (const each of value) cost += traversalCost(each, steps);
    return cost;
  }
  if (value instanceof MapValue) {
    for (const key of value.keys()) {
      cost += traversalCost(key, steps) + traversalCost(value.find(key) as Value, steps);
    }
    return cost;
  }
  return 1;
}

const ordering = /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/;

/** The costs of the language itself. */
function standard({ overload }: CalledFunction, args: readonly Value[]): number {
  switch (overload) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return traversal(sizeAt(args, 0));
    case "in_list":
      return sizeAt(args, 1);
    case "add_string":
    case "add_bytes":
      return traversal(sizeAt(args, 0) + sizeAt(args, 1));
    case "matches_string":
      return matchCost(sizeAt(args, 0), sizeAt(args, 1));
    case "contains_string":
      return traversal(sizeAt(args, 0)) * traversal(sizeAt(args, 1));
    default: {
      const isCompared =
        overload === "equals" || overload === "not_equals" || ordering.test(overload);
      return isCompared ? traversal(Math.min(sizeAt(args, 0), sizeAt(args, 1))) : 1;
    }
  }
}

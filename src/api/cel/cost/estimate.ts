// Estimates what an expression can cost, from the sizes that its variables can have.
import type { Checked } from "../checker/checked.ts";
import { characters } from "../runtime/value.ts";
import { accumulatorName, type Call, type Comprehension, type Expr } from "../syntax/ast.ts";
import { dynType, type Type } from "../types.ts";
import { listCost, mapCost, objectCost } from "./call.ts";
import { type CallEstimate, estimateCall, type Operand } from "./estimate-call.ts";
import { exactly, nothing, plus, type Range, times, union, unknown } from "./range.ts";
import type { SizeOfPath } from "./sizes.ts";

/** Estimates the cost of an expression. */
export function estimate(checked: Checked, sizeOfPath: SizeOfPath = () => undefined): Range {
  return new Estimator(checked, sizeOfPath).cost(checked.root);
}

/** The sizes of the keys and values of a list or map. */
interface Entries {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

class Estimator {
  readonly #checked: Checked;
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, Entries>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeOfPath: SizeOfPath) {
    this.#checked = checked;
    this.#sizeOfPath = sizeOfPath;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return nothing;
      case "ident":
        return this.#ident(expr.id, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return plus(...expr.fields.map(({ value }) => this.cost(value)), exactly(objectCost));
      case "comprehension":
        return this.#isBinding(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #ident(id: number, given: string): Range {
    const name = this.#checked.names.get(id) ?? given;
    this.#paths.set(id, this.#local(name)?.path ?? [name]);
    return exactly(1);
  }

  #select(expr: Expr & { kind: "select" }): Range {
    const name = this.#checked.names.get(expr.id);
    if (name !== undefined) return this.#ident(expr.id, name);
    const operand = this.cost(expr.operand);
    if (expr.isTest) return operand;
    this.#paths.set(expr.id, [...this.#path(expr.operand), expr.field]);
    const { kind } = this.#type(expr.operand);
    const isRead = kind === "map" || kind === "object" || kind === "param";
    return isRead ? plus(operand, exactly(1)) : operand;
  }

  #call(expr: Call): Range {
    const { fn, args } = expr;
    if (fn === "dyn" && args[0] !== undefined) {
      const cost = this.cost(args[0]);
      this.#copySizes(expr, args[0]);
      return plus(cost, exactly(1));
    }
    const costs = args.map((arg) => this.cost(arg));
    const operands = args.map((arg) => this.#operand(arg));
    const overloads = this.#checked.overloads.get(expr.id) ?? [];
    if (overloads.length === 0) return nothing;
    const global = this.#checked.functions.get(expr.id);
    const isMember = global === undefined && expr.target !== undefined;
    const target = isMember ? expr.target : undefined;
    const before = target === undefined ? nothing : this.cost(target);
    const receiver = target && this.#operand(target);
    let cost: Range = { min: unknown.max, max: 0 };
    let size: Range | undefined;
    for (const overload of overloads) {
      const called = { fn: global ?? fn, overload, target: receiver, args: operands };
      const found = this.#special(expr, overload, costs) ?? estimateCall(called);
      const withArguments = found.isWhole === true ? found.cost : plus(found.cost, ...costs);
      cost = union(cost, withArguments);
      if (found.size !== undefined)
        size = size === undefined ? found.size : union(size, found.size);
      size = this.#indexed(expr, overload) ?? size ?? this.#size(expr);
    }
    if (size !== undefined) this.#sizes.set(expr.id, size);
    return plus(before, cost);
  }

  /** Follows the path of an index, and returns the size of what is found there. */
  #indexed(expr: Call, overload: string): Range | undefined {
    const isList = overload === "index_list";
    if (!isList && overload !== "index_map") return undefined;
    const [operand] = expr.args as [Expr];
    this.#paths.set(expr.id, [...this.#path(operand), isList ? "@items" : "@values"]);
    return this.#entriesOf(operand)?.value;
  }

  /** The operators whose cost is not that of all their arguments, or whose result is made of them. */
  #special(expr: Call, overload: string, costs: readonly Range[]): CallEstimate | undefined {
    const [first = nothing, second = nothing, third = nothing] = costs;
    const [a, b, c] = expr.args as [Expr, Expr, Expr];
    switch (overload) {
      case "logical_and":
      case "logical_or":
        return { cost: { min: first.min, max: plus(first, second).max }, isWhole: true };
      case "conditional": {
        this.#setEntries(expr, joined(this.#entriesOf(b), this.#entriesOf(c)));
        const size = union(this.#sizeOrUnknown(b), this.#sizeOrUnknown(c));
        return { cost: plus(first, union(second, third)), size, isWhole: true };
      }
      case "add_list":
      case "add_string":
      case "add_bytes": {
        this.#setEntries(expr, joined(this.#entriesOf(a), this.#entriesOf(b)));
        const size = plus(this.#sizeOrUnknown(a), this.#sizeOrUnknown(b));
        const scale = { min: Math.ceil(size.min * 0.1), max: Math.ceil(size.max * 0.1) };
        return { cost: overload === "add_list" ? exactly(1) : scale, size };
      }
      default:
        return undefined;
    }
  }

  #list(expr: Expr & { kind: "list" }): Range {
    const costs = expr.elements.map((element) => this.cost(element));
    const sizes = expr.elements.map((element) => this.#sizeOrUnknown(element));
    this.#entries.set(expr.id, { container: "list", key: exactly(1), value: covering(sizes) });
    return plus(...costs, exactly(listCost));
  }

  #map(expr: Expr & { kind: "map" }): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = covering(expr.entries.map((entry) => this.#sizeOrUnknown(entry.key)));
    const value = covering(expr.entries.map((entry) => this.#sizeOrUnknown(entry.value)));
    this.#entries.set(expr.id, { container: "map", key, value });
    return plus(...costs, exactly(mapCost));
  }

  #loop(expr: Comprehension): Range {
    const { range, initial } = expr;
    const start = plus(this.cost(range), this.cost(initial));
    this.#push(expr.accumulator, this.#localOf(initial));
    if (expr.second === undefined) this.#push(expr.variable, this.#iterated(range, "single"));
    else {
      this.#push(expr.variable, this.#iterated(range, "key"));
      this.#push(expr.second, this.#iterated(range, "value"));
    }
    const turn = plus(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.second !== undefined) this.#pop(expr.second);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#sizeOrUnknown(range);
    if (initial.kind === "literal") {
      const size = this.#size(initial);
      if (size !== undefined) this.#sizes.set(expr.id, size);
    } else if (initial.kind === "list" || initial.kind === "map") {
      this.#sizes.set(expr.id, count);
      this.#setEntries(expr, this.#entriesOf(expr.step));
    }
    return plus(start, result, times(count, turn));
  }

  #isBinding({ range, condition, accumulator }: Comprehension): boolean {
    return (
      range.kind === "list" &&
      range.elements.length === 0 &&
      condition.kind === "literal" &&
      condition.value === false &&
      accumulator !== accumulatorName
    );
  }

  #binding(expr: Comprehension): Range {
    const start = plus(this.cost(expr.range), this.cost(expr.initial));
    this.#push(expr.accumulator, this.#localOf(expr.initial));
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return plus(start, result);
  }

  #localOf(expr: Expr): Local {
    const entries = this.#entriesOf(expr);
    return { path: this.#path(expr), size: this.#size(expr), entries };
  }

  #iterated(range: Expr, which: "single" | "key" | "value"): Local {
    const entries = this.#entriesOf(range);
    const isList = (entries?.container ?? this.#type(range).kind) === "list";
    const isValue = which === "value" || (which === "single" && isList);
    const part = isValue ? (isList ? "@items" : "@values") : isList ? "@indices" : "@keys";
    const size = isValue ? entries?.value : entries?.key;
    return { path: [...this.#path(range), part], size, entries: undefined };
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #pop(name: string): void {
    this.#locals.set(name, (this.#locals.get(name) ?? []).slice(0, -1));
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #localAt(expr: Expr): Local | undefined {
    return expr.kind === "ident" ? this.#local(expr.name) : undefined;
  }

  #type({ id }: Expr): Type {
    return this.#checked.types.get(id) ?? dynType;
  }

  #path(expr: Expr): readonly string[] {
    return this.#localAt(expr)?.path ?? this.#paths.get(expr.id) ?? [];
  }

  #operand(expr: Expr): Operand {
    const path = this.#path(expr);
    const type = this.#type(expr);
    const isRoot = path.length > 0 && path[0] !== accumulatorName;
    return {
      type,
      expr,
      size: this.#size(expr),
      element: () => {
        if (type.kind !== "list") return undefined;
        const size = isRoot ? this.#sizeOfPath([...path, "@items"]) : undefined;
        return { type: type.of, size: size ?? unknown };
      },
    };
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? unknown;
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const declared = this.#sizeOfPath(this.#path(expr));
    if (declared !== undefined) {
      this.#sizes.set(expr.id, declared);
      return declared;
    }
    return isScalar(this.#type(expr)) ? exactly(1) : this.#localAt(expr)?.size;
  }

  #entriesOf(expr: Expr): Entries | undefined {
    return this.#entries.get(expr.id) ?? this.#localAt(expr)?.entries;
  }

  #setEntries({ id }: Expr, entries: Entries | undefined): void {
    if (entries !== undefined) this.#entries.set(id, entries);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to.id, size);
    this.#setEntries(to, this.#entriesOf(from));
  }
}

function joined(a: Entries | undefined, b: Entries | undefined): Entries | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { ...a, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function covering(sizes: readonly Range[]): Range {
  if (sizes.length === 0) return nothing;
  return sizes.reduce((all, size) => union(all, size));
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === "list") return exactly(expr.elements.length);
  if (expr.kind === "map") return exactly(expr.entries.length);
  if (expr.kind !== "literal") return undefined;
  const { value } = expr;
  if (typeof value === "string") return exactly(characters(value));
  return exactly(value instanceof Uint8Array ? value.length : 1);
}

const scalars = ["bool", "double", "duration", "int", "timestamp", "uint"];

function isScalar(type: Type): boolean {
  if (type.kind === "opaque" && type.name === "optional_type") {
    return isScalar(type.params[0] ?? dynType);
  }
  return scalars.includes(type.kind);
}

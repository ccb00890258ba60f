// Turns a checked expression into functions that evaluate it. Costs are charged on the way, as Kubernetes
// counts them: a step of a path costs 1, and so does the variable that it begins with.
import type { Checked } from "../checker/checked.ts";
import { costOf, hasResultCost, listCost, mapCost, objectCost, resultCost } from "../cost/call.ts";
import type { FunctionDeclaration } from "../library/library.ts";
import type { Call, Expr, Select } from "../syntax/ast.ts";
import { addEntry, isPrimitiveList, membership } from "./collections.ts";
import { findOverload } from "./dispatch.ts";
import { planFold } from "./fold.ts";
import {
  asPath,
  constant,
  type NodePlanner,
  type Planned,
  pathOf,
  type Slots,
  type Step,
} from "./planned.ts";
import { isPresent, qualify, qualifyOptional } from "./qualify.ts";
import {
  CelError,
  noSuchOverload,
  OptionalValue,
  PlainList,
  PlainMap,
  TypeValue,
  type Value,
} from "./value.ts";

export interface Planning {
  readonly checked: Checked;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
}

export function planExpression(planning: Planning): Step {
  return new Planner(planning).plan(planning.checked.root, new Map()).run;
}

const conversions = new Set(
  "bool bytes double duration dyn int string timestamp uint type".split(" "),
);

class Planner implements NodePlanner {
  readonly #checked: Checked;
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;

  #slots = 0;

  constructor({ checked, functions }: Planning) {
    this.#checked = checked;
    this.#functions = functions;
  }

  newSlot(): number {
    return this.#slots++;
  }

  plan(expr: Expr, slots: Slots): Planned {
    switch (expr.kind) {
      case "literal":
        return constant(expr.value);
      case "ident":
        return this.#name(expr.id, slots);
      case "select":
        return this.#select(expr, slots);
      case "call":
        return this.#call(expr, slots);
      case "list":
        return this.#list(expr, slots);
      case "map":
        return this.#map(expr, slots);
      case "struct":
        return this.#struct(expr, slots);
      case "comprehension":
        return planFold(this, expr, slots);
    }
  }

  #name(id: number, slots: Slots): Planned {
    const name = this.#checked.names.get(id) ?? "";
    if (this.#checked.types.get(id)?.kind === "type" && !slots.has(name)) {
      return constant(new TypeValue(name));
    }
    const slot = slots.get(name);
    if (slot !== undefined) return asPath((frame) => frame.locals[slot] as Value, 1);
    const missing = new CelError(`no such attribute(s): ${name}`);
    return asPath((frame) => {
      const value = frame.variables(name);
      return value === undefined ? missing : value;
    }, 1);
  }

  #select(expr: Select, slots: Slots): Planned {
    if (this.#checked.names.has(expr.id)) return this.#name(expr.id, slots);
    const { field, isTest } = expr;
    const operand = pathOf(this.plan(expr.operand, slots));
    if (isTest) {
      return {
        run(frame) {
          return isPresent(frame, operand(frame), field);
        },
      };
    }
    return asPath((frame) => qualify(frame, operand(frame), field), 1);
  }

  #call(expr: Call, slots: Slots): Planned {
    const { fn, args } = expr;
    switch (fn) {
      case "_&&_":
        return this.#logical(expr, slots, false);
      case "_||_":
        return this.#logical(expr, slots, true);
      case "_?_:_":
        return this.#conditional(args, slots);
      case "_[_]":
        return this.#index(args, slots, qualify);
      case "_[?_]":
      case "_?._":
        return this.#index(args, slots, qualifyOptional);
      case "@not_strictly_false":
        return this.#notStrictlyFalse(args[0] as Expr, slots);
      default:
        return this.#optionalChoice(expr, slots) ?? this.#invoke(expr, slots);
    }
  }

  #logical({ args }: Call, slots: Slots, decisive: boolean): Planned {
    const [left, right] = args.map((arg) => this.plan(arg, slots).run) as [Step, Step];
    return {
      run(frame) {
        const first = left(frame);
        if (first === decisive) return decisive;
        const second = right(frame);
        if (second === decisive) return decisive;
        if (first === !decisive && second === !decisive) return !decisive;
        if (first instanceof CelError) return first;
        if (second instanceof CelError) return second;
        return noSuchOverload;
      },
    };
  }

  #conditional(args: readonly Expr[], slots: Slots): Planned {
    const [condition, yes, no] = args.map((arg) => this.plan(arg, slots)) as [
      Planned,
      Planned,
      Planned,
    ];
    const [whenTrue, whenFalse] = [pathOf(yes), pathOf(no)];
    return asPath((frame) => {
      const decided = condition.run(frame);
      if (decided === true) return whenTrue(frame);
      if (decided === false) return whenFalse(frame);
      return decided instanceof CelError ? decided : noSuchOverload;
    }, 0);
  }

  #index(args: readonly Expr[], slots: Slots, find: typeof qualify): Planned {
    const [operand, index] = args.map((arg) => pathOf(this.plan(arg, slots))) as [Step, Step];
    return asPath((frame) => {
      const value = operand(frame);
      if (value instanceof CelError) return value;
      const key = index(frame);
      return key instanceof CelError ? key : find(frame, value, key);
    }, 1);
  }

  #notStrictlyFalse(expr: Expr, slots: Slots): Planned {
    const { run } = this.plan(expr, slots);
    return {
      run(frame) {
        const value = run(frame);
        frame.charge(1);
        return value !== false;
      },
    };
  }

  /** Plans `a.or(b)` and `a.orValue(b)`, whose second part is evaluated only when it is needed. */
  #optionalChoice(expr: Call, slots: Slots): Planned | undefined {
    const [overload, ...others] = this.#checked.overloads.get(expr.id) ?? [];
    const isValue = overload === "optional_orValue_value";
    if (others.length > 0 || (!isValue && overload !== "optional_or_optional")) return undefined;
    const left = this.plan(expr.target as Expr, slots).run;
    const right = this.plan(expr.args[0] as Expr, slots).run;
    return {
      run(frame) {
        const first = left(frame);
        if (first instanceof CelError) return first;
        if (!(first instanceof OptionalValue)) return noSuchOverload;
        if (first.value === undefined) return right(frame);
        return isValue ? first.value : first;
      },
    };
  }

  #invoke(expr: Call, slots: Slots): Planned {
    const global = this.#checked.functions.get(expr.id);
    const fn = global ?? expr.fn;
    const given = global === undefined && expr.target !== undefined ? [expr.target] : [];
    const args = [...given, ...expr.args].map((arg) => this.plan(arg, slots));
    const ids = this.#checked.overloads.get(expr.id) ?? [];
    const all = this.#functions.get(fn)?.overloads ?? [];
    const overloads = all.filter(({ id }) => ids.includes(id));
    const called = { fn, overload: ids.length === 1 ? (ids[0] as string) : "" };
    const cost = costOf(called);
    const makes = hasResultCost(called);
    if (isConstantIn(called.overload, args)) return args[0] as Planned;
    const run: Step = (frame) => {
      const values: Value[] = [];
      let error: CelError | undefined;
      for (const arg of args) {
        const value = arg.run(frame);
        values.push(value);
        if (error === undefined && value instanceof CelError) error = value;
      }
      if (error !== undefined) {
        frame.charge(1);
        return error;
      }
      frame.charge(cost(values));
      const overload = findOverload(overloads, values);
      if (overload === undefined) return noSuchOverload;
      const result = overload.run(...values);
      if (makes) frame.charge(resultCost(called, result));
      return result;
    };
    const isKnown = conversions.has(fn) && args.length === 1 && args[0]?.constant !== undefined;
    if (isKnown) {
      const overload = findOverload(overloads, [args[0]?.constant as Value]);
      const value = overload?.run(args[0]?.constant as Value) ?? noSuchOverload;
      if (!(value instanceof CelError)) return constant(value);
    }
    if (called.overload === "in_list" && isPrimitiveList(args[1]?.constant)) {
      return membership(args[0] as Planned, args[1]?.constant as PlainList);
    }
    return { run };
  }

  #list(expr: Expr & { kind: "list" }, slots: Slots): Planned {
    const elements = expr.elements.map((each) => this.plan(each, slots));
    const { optional } = expr;
    const build = (values: readonly Value[]): Value => {
      const kept: Value[] = [];
      for (const [index, value] of values.entries()) {
        if (value instanceof CelError) return value;
        if (!optional.has(index)) kept.push(value);
        else if (!(value instanceof OptionalValue)) return noSuchOverload;
        else if (value.value !== undefined) kept.push(value.value);
      }
      return new PlainList(kept);
    };
    if (elements.every((each) => each.constant !== undefined)) {
      return constant(build(elements.map((each) => each.constant as Value)));
    }
    return {
      run(frame) {
        const values = elements.map((each) => each.run(frame));
        frame.charge(listCost);
        return build(values);
      },
    };
  }

  #map(expr: Expr & { kind: "map" }, slots: Slots): Planned {
    const entries = expr.entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key, slots),
      value: this.plan(value, slots),
      isOptional,
    }));
    const build = (valueOf: (planned: Planned) => Value): Value => {
      const map = new PlainMap();
      for (const { key, value, isOptional } of entries) {
        const added = addEntry(map, [valueOf(key), valueOf(value)], isOptional);
        if (added !== undefined) return added;
      }
      return map;
    };
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    if (parts.every((each) => each.constant !== undefined)) {
      return constant(build((planned) => planned.constant as Value));
    }
    return {
      run(frame) {
        const map = build((planned) => planned.run(frame));
        frame.charge(mapCost);
        return map;
      },
    };
  }

  #struct(expr: Expr & { kind: "struct" }, slots: Slots): Planned {
    const name = expr.name.startsWith(".") ? expr.name.slice(1) : expr.name;
    const fields = expr.fields.map((field) => ({
      name: field.name,
      value: this.plan(field.value, slots),
      isOptional: field.isOptional,
    }));
    return {
      run(frame) {
        const object = new PlainMap([], name);
        for (const field of fields) {
          const pair = [field.name, field.value.run(frame)] as const;
          const added = addEntry(object, pair, field.isOptional);
          if (added !== undefined) return added;
        }
        frame.charge(objectCost);
        return object;
      },
    };
  }
}

function isConstantIn(overload: string, args: readonly Planned[]): boolean {
  return overload === "to_dyn" && args[0]?.constant !== undefined;
}

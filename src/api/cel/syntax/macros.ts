// Macros: calls that are expanded to other expressions while parsing.
import { accumulatorName, type Call, type Expr } from "./ast.ts";

export interface MacroHelper {
  /** Returns a new id. */
  next(): number;
  /** Reports that the arguments of a macro are not well-formed. */
  refuse(at: number, message: string): void;
}

/** Returns the expansion of a call; `undefined` when it is not a macro. */
export function expandMacro(helper: MacroHelper, call: Call): Expr | undefined {
  const key = `${call.target === undefined ? "" : "."}${call.fn}/${call.args.length}`;
  return macros[key]?.(new Builder(helper, call));
}

const macros: Readonly<Record<string, (builder: Builder) => Expr | undefined>> = {
  "has/1": (build) => build.has(),
  ".all/2": (build) => build.all(1),
  ".all/3": (build) => build.all(2),
  ".exists/2": (build) => build.exists(1),
  ".exists/3": (build) => build.exists(2),
  ".exists_one/2": (build) => build.existsOne(1),
  ".exists_one/3": (build) => build.existsOne(2),
  ".existsOne/2": (build) => build.existsOne(1),
  ".existsOne/3": (build) => build.existsOne(2),
  ".map/2": (build) => build.map(undefined, 1),
  ".map/3": (build) => build.map(1, 2),
  ".filter/2": (build) => build.filter(),
  ".transformList/3": (build) => build.transformList(undefined, 2),
  ".transformList/4": (build) => build.transformList(2, 3),
  ".transformMap/3": (build) => build.transformMap(undefined, 2),
  ".transformMap/4": (build) => build.transformMap(2, 3),
  ".transformMapEntry/3": (build) => build.transformMapEntry(undefined, 2),
  ".transformMapEntry/4": (build) => build.transformMapEntry(2, 3),
  ".sortBy/2": (build) => build.sortBy(),
  ".optMap/2": (build) => build.optional(true),
  ".optFlatMap/2": (build) => build.optional(false),
};

interface Loop {
  readonly variables: 1 | 2;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result?: Expr;
}

class Builder {
  readonly #helper: MacroHelper;
  readonly #call: Call;

  constructor(helper: MacroHelper, call: Call) {
    this.#helper = helper;
    this.#call = call;
  }

  has(): Expr | undefined {
    const argument = this.#arg(0);
    if (argument.kind === "select" && !argument.isTest) {
      const { operand, field } = argument;
      return { kind: "select", ...this.#place(), operand, field, isTest: true };
    }
    this.#helper.refuse(argument.at, "invalid argument to has() macro");
    return argument;
  }

  all(variables: 1 | 2): Expr {
    return this.#loop({
      variables,
      initial: this.#literal(true),
      condition: this.#invoke("@not_strictly_false", this.#accumulator()),
      step: this.#invoke("_&&_", this.#accumulator(), this.#arg(variables)),
    });
  }

  exists(variables: 1 | 2): Expr {
    const isNot = this.#invoke("!_", this.#accumulator());
    return this.#loop({
      variables,
      initial: this.#literal(false),
      condition: this.#invoke("@not_strictly_false", isNot),
      step: this.#invoke("_||_", this.#accumulator(), this.#arg(variables)),
    });
  }

  existsOne(variables: 1 | 2): Expr {
    const more = this.#invoke("_+_", this.#accumulator(), this.#literal(1n));
    return this.#loop({
      variables,
      initial: this.#literal(0n),
      condition: this.#literal(true),
      step: this.#invoke("_?_:_", this.#arg(variables), more, this.#accumulator()),
      result: this.#invoke("_==_", this.#accumulator(), this.#literal(1n)),
    });
  }

  map(filter: number | undefined, transform: number): Expr {
    return this.#loop({
      variables: 1,
      initial: this.#list([]),
      condition: this.#literal(true),
      step: this.#filtered(filter, this.#append(this.#arg(transform))),
    });
  }

  filter(): Expr {
    return this.#loop({
      variables: 1,
      initial: this.#list([]),
      condition: this.#literal(true),
      step: this.#filtered(1, this.#append(this.#arg(0))),
    });
  }

  transformList(filter: number | undefined, transform: number): Expr {
    return this.#loop({
      variables: 2,
      initial: this.#list([]),
      condition: this.#literal(true),
      step: this.#filtered(filter, this.#append(this.#arg(transform))),
    });
  }

  transformMap(filter: number | undefined, transform: number): Expr {
    const args = [this.#accumulator(), this.#arg(0), this.#arg(transform)];
    return this.#mapLoop(filter, this.#invoke("cel.@mapInsert", ...args));
  }

  transformMapEntry(filter: number | undefined, transform: number): Expr {
    const args = [this.#accumulator(), this.#arg(transform)];
    return this.#mapLoop(filter, this.#invoke("cel.@mapInsert", ...args));
  }

  /** Expands `target.sortBy(v, key)`: the list is evaluated once, and ordered by a list of keys. */
  sortBy(): Expr {
    const name = "@__sortBy_input__";
    const keys: Expr = this.#collecting({
      range: this.#identifier(name),
      step: this.#append(this.#arg(1)),
    });
    const sorted: Expr = {
      kind: "call",
      ...this.#place(),
      fn: "@sortByAssociatedKeys",
      target: this.#identifier(name),
      args: [keys],
    };
    return this.#bind(name, this.#call.target as Expr, sorted);
  }

  /** Expands `target.optMap(v, e)`: e of the target's value, if it has one. */
  optional(isWrapped: boolean): Expr {
    const target = this.#call.target as Expr;
    const variable = this.#variable(0);
    const bound = this.#bind(variable, this.#method(target, "value"), this.#arg(1));
    const value = isWrapped ? this.#invoke("optional.of", bound) : bound;
    const none = this.#invoke("optional.none");
    return this.#invoke("_?_:_", this.#method(target, "hasValue"), value, none);
  }

  /** Returns an expression in which a variable has a value: a loop over nothing. */
  #bind(variable: string, value: Expr, result: Expr): Expr {
    return {
      kind: "comprehension",
      ...this.#place(),
      range: this.#list([]),
      variable: "#unused",
      second: undefined,
      accumulator: variable,
      initial: value,
      condition: this.#literal(false),
      step: this.#identifier(variable),
      result,
    };
  }

  #collecting({ range, step }: { range: Expr; step: Expr }): Expr {
    return {
      kind: "comprehension",
      ...this.#place(),
      range,
      variable: this.#variable(0),
      second: undefined,
      accumulator: accumulatorName,
      initial: this.#list([]),
      condition: this.#literal(true),
      step,
      result: this.#accumulator(),
    };
  }

  #mapLoop(filter: number | undefined, insert: Expr): Expr {
    return this.#loop({
      variables: 2,
      initial: { kind: "map", ...this.#place(), entries: [] },
      condition: this.#literal(true),
      step: this.#filtered(filter, insert),
    });
  }

  #loop({ variables, result = this.#accumulator(), ...loop }: Loop): Expr {
    const variable = this.#variable(0);
    const second = variables === 2 ? this.#variable(1) : undefined;
    if (second === variable) {
      this.#helper.refuse(this.#arg(1).at, `duplicate variable name: ${variable}`);
    }
    return {
      kind: "comprehension",
      ...this.#place(),
      range: this.#call.target as Expr,
      variable,
      second,
      accumulator: accumulatorName,
      ...loop,
      result,
    };
  }

  #filtered(filter: number | undefined, step: Expr): Expr {
    if (filter === undefined) return step;
    return this.#invoke("_?_:_", this.#arg(filter), step, this.#accumulator());
  }

  #append(element: Expr): Expr {
    return this.#invoke("_+_", this.#accumulator(), this.#list([element]));
  }

  #variable(index: number): string {
    const argument = this.#arg(index);
    if (argument.kind !== "ident" || argument.name.startsWith(".")) {
      const isMap = this.#call.fn === "map" || this.#call.fn === "filter";
      const message = isMap ? "argument is not an identifier" : "argument must be a simple name";
      this.#helper.refuse(argument.at, message);
      return "";
    }
    if (argument.name === "__result__") {
      const message = "iteration variable overwrites accumulator variable";
      this.#helper.refuse(argument.at, message);
    }
    return argument.name;
  }

  #arg(index: number): Expr {
    return this.#call.args[index] as Expr;
  }

  #place() {
    return { id: this.#helper.next(), at: this.#call.at };
  }

  #literal(value: boolean | bigint): Expr {
    return { kind: "literal", ...this.#place(), value };
  }

  #identifier(name: string): Expr {
    return { kind: "ident", ...this.#place(), name };
  }

  #accumulator(): Expr {
    return this.#identifier(accumulatorName);
  }

  #list(elements: readonly Expr[]): Expr {
    return { kind: "list", ...this.#place(), elements, optional: new Set() };
  }

  #invoke(fn: string, ...args: Expr[]): Expr {
    return { kind: "call", ...this.#place(), fn, target: undefined, args };
  }

  #method(target: Expr, fn: string): Expr {
    return { kind: "call", ...this.#place(), fn, target, args: [] };
  }
}

// Checks the types of an expression and resolves its names and overloads.
import type { Environment } from "../environment.ts";
import type { FunctionDeclaration } from "../library/library.ts";
import { typeNameOf } from "../runtime/value.ts";
import {
  type Call,
  type Comprehension,
  dottedName,
  type Expr,
  type Select,
} from "../syntax/ast.ts";
import { CelIssues, type Issue } from "../syntax/source.ts";
import {
  boolType,
  dynType,
  errorType,
  listType,
  mapType,
  nullType,
  optionalType,
  sameType,
  type Type,
  typeText,
} from "../types.ts";
import type { Checked } from "./checked.ts";
import { typeNamed } from "./type-names.ts";
import {
  assign,
  type Bindings,
  elementTypes,
  instantiate,
  isDyn,
  isDynOrError,
  mostGeneral,
  substitute,
  unwrapOptional,
} from "./unify.ts";

/** Checks an expression; throws `CelIssues` when types do not fit. */
export function check(environment: Environment, source: string, root: Expr): Checked {
  return new Checker(environment, source).check(root);
}

type Scope = ReadonlyMap<string, Type>;

class Checker {
  readonly #environment: Environment;
  readonly #source: string;
  readonly #issues: Issue[] = [];
  readonly #types = new Map<number, Type>();
  readonly #overloads = new Map<number, readonly string[]>();
  readonly #names = new Map<number, string>();
  readonly #functions = new Map<number, string>();
  #bindings: Bindings = new Map();
  #scopes: readonly Scope[] = [];
  #free = 0;

  constructor(environment: Environment, source: string) {
    this.#environment = environment;
    this.#source = source;
  }

  check(root: Expr): Checked {
    this.#check(root);
    if (this.#issues.length > 0) throw new CelIssues(this.#source, this.#issues);
    for (const [id, type] of this.#types) {
      this.#types.set(id, substitute(this.#bindings, type, true));
    }
    return {
      source: this.#source,
      root,
      type: this.#typeOf(root),
      types: this.#types,
      overloads: this.#overloads,
      names: this.#names,
      functions: this.#functions,
    };
  }

  #check(expr: Expr): void {
    this.#types.set(expr.id, this.#infer(expr));
  }

  #infer(expr: Expr): Type {
    switch (expr.kind) {
      case "literal":
        return expr.value === null ? nullType : ({ kind: typeNameOf(expr.value) } as Type);
      case "ident":
        return this.#identifier(expr.id, expr.name) ?? this.#undeclared(expr, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #typeOf({ id }: Expr): Type {
    return this.#types.get(id) ?? errorType;
  }

  #report(at: number, message: string): void {
    this.#issues.push({ at, message });
  }

  #undeclared({ at }: { at: number }, name: string): Type {
    this.#report(at, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  #mismatch({ at }: Expr, expected: Type, found: Type): void {
    this.#report(at, `expected type '${typeText(expected)}' but found '${typeText(found)}'`);
  }

  #isAssignable(from: Type, to: Type): boolean {
    const bindings = assign(this.#bindings, [from], [to]);
    if (bindings === undefined) return false;
    this.#bindings = bindings;
    return true;
  }

  #newParam(): Type {
    return { kind: "param", name: `_var${this.#free++}` };
  }

  /** Resolves a name to a variable or a type. */
  #identifier(id: number, given: string): Type | undefined {
    const name = given.startsWith(".") ? given.slice(1) : given;
    for (const scope of this.#scopes.toReversed()) {
      const local = given.startsWith(".") ? undefined : scope.get(name);
      if (local === undefined) continue;
      this.#names.set(id, name);
      return local;
    }
    const type = this.#environment.variables.get(name) ?? typeNamed(this.#environment, name);
    if (type !== undefined) this.#names.set(id, name);
    return type;
  }

  #select(expr: Select): Type {
    const name = expr.isTest ? undefined : dottedName(expr);
    const variable = name === undefined ? undefined : this.#identifier(expr.id, name);
    if (variable !== undefined) return variable;
    const type = this.#field(expr, expr.operand, { field: expr.field, isOptional: false });
    return expr.isTest ? boolType : substitute(this.#bindings, type, false);
  }

  #field(
    { at }: Expr,
    operand: Expr,
    { field, isOptional }: { field: string; isOptional: boolean },
  ): Type {
    this.#check(operand);
    const whole = substitute(this.#bindings, this.#typeOf(operand), false);
    const { type, isOptional: wasOptional } = unwrapOptional(whole);
    const result = this.#fieldType(at, type, field);
    return isOptional || wasOptional ? optionalType(result) : result;
  }

  #fieldType(at: number, type: Type, field: string): Type {
    if (type.kind === "map") return type.value;
    if (type.kind === "object") {
      const found = type.isOpen === true ? dynType : type.fields?.get(field);
      if (found !== undefined) return found;
      this.#report(at, `undefined field '${field}'`);
      return errorType;
    }
    if (type.kind === "param") this.#isAssignable(dynType, type);
    else if (!isDynOrError(type)) {
      this.#report(at, `type '${typeText(type)}' does not support field selection`);
    }
    return dynType;
  }

  #call(expr: Call): Type {
    const { fn, target, args } = expr;
    if (fn === "_?._") return this.#optionalSelect(expr);
    for (const arg of args) this.#check(arg);
    const { functions } = this.#environment;
    if (target === undefined) {
      const found = functions.get(fn.startsWith(".") ? fn.slice(1) : fn);
      if (found === undefined) return this.#undeclared(expr, fn);
      this.#functions.set(expr.id, found.name);
      return this.#resolve(expr, found, undefined);
    }
    const prefix = dottedName(target);
    const namespaced = prefix === undefined ? undefined : functions.get(`${prefix}.${fn}`);
    if (namespaced !== undefined) {
      this.#functions.set(expr.id, namespaced.name);
      return this.#resolve(expr, namespaced, undefined);
    }
    this.#check(target);
    const method = functions.get(fn);
    return method === undefined ? this.#undeclared(expr, fn) : this.#resolve(expr, method, target);
  }

  #optionalSelect(expr: Call): Type {
    const [operand, field] = expr.args as [Expr, Expr];
    const name = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
    const type = this.#field(expr, operand, { field: name, isOptional: true });
    this.#overloads.set(expr.id, ["select_optional_field"]);
    return substitute(this.#bindings, type, false);
  }

  #resolve(expr: Call, declaration: FunctionDeclaration, target: Expr | undefined): Type {
    const { args } = expr;
    const given = [...(target === undefined ? [] : [target]), ...args].map((one) =>
      this.#typeOf(one),
    );
    const { name } = declaration;
    if (name === "_&&_" || name === "_||_") return this.#logical(expr, given);
    let result: Type | undefined;
    const ids: string[] = [];
    for (const overload of declaration.overloads) {
      if (overload.isMember !== (target !== undefined)) continue;
      const declared = [overload.result, ...overload.args];
      const fresh = instantiate(declared, () => this.#newParam());
      const bindings = assign(this.#bindings, given, fresh.slice(1));
      if (bindings === undefined) continue;
      this.#bindings = bindings;
      ids.push(overload.id);
      const type = substitute(this.#bindings, fresh[0] as Type, false);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = dynType;
    }
    if (result !== undefined) {
      this.#overloads.set(expr.id, ids);
      return result;
    }
    const shown = given.map((type) => typeText(substitute(this.#bindings, type, true)));
    const signature =
      target === undefined ? `(${shown.join(", ")})` : `${shown[0]}.(${shown.slice(1).join(", ")})`;
    this.#report(expr.at, `found no matching overload for '${name}' applied to '${signature}'`);
    return errorType;
  }

  #logical(expr: Call, given: readonly Type[]): Type {
    let isRight = true;
    for (const [index, type] of given.entries()) {
      if (this.#isAssignable(type, boolType)) continue;
      isRight = false;
      this.#mismatch(expr.args[index] as Expr, boolType, type);
    }
    if (!isRight) return errorType;
    this.#overloads.set(expr.id, [expr.fn === "_&&_" ? "logical_and" : "logical_or"]);
    return boolType;
  }

  #list(expr: Expr & { kind: "list" }): Type {
    let joined: Type | undefined;
    for (const [index, element] of expr.elements.entries()) {
      this.#check(element);
      const type = expr.optional.has(index) ? this.#unwrapped(element) : this.#typeOf(element);
      joined = this.#join(joined, type);
    }
    return listType(joined ?? this.#newParam());
  }

  #map(expr: Expr & { kind: "map" }): Type {
    let keys: Type | undefined;
    let values: Type | undefined;
    for (const { key, value, isOptional } of expr.entries) {
      this.#check(key);
      keys = this.#join(keys, this.#typeOf(key));
      this.#check(value);
      values = this.#join(values, isOptional ? this.#unwrapped(value) : this.#typeOf(value));
    }
    return mapType(keys ?? this.#newParam(), values ?? this.#newParam());
  }

  #unwrapped(expr: Expr): Type {
    const { type, isOptional } = unwrapOptional(this.#typeOf(expr));
    if (!isOptional && !isDyn(type)) this.#mismatch(expr, optionalType(type), type);
    return type;
  }

  /** Returns the common type of elements. That it is not dyn is checked later, since formats take any. */
  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    return this.#isAssignable(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #struct(expr: Expr & { kind: "struct" }): Type {
    const name = expr.name.startsWith(".") ? expr.name.slice(1) : expr.name;
    const type = this.#environment.findType(name);
    if (type === undefined) {
      for (const { value } of expr.fields) this.#check(value);
      return this.#undeclared(expr, expr.name);
    }
    for (const field of expr.fields) {
      this.#check(field.value);
      const declared = this.#fieldType(field.at, type, field.name);
      const value = field.isOptional ? this.#unwrapped(field.value) : this.#typeOf(field.value);
      if (this.#isAssignable(declared, value)) continue;
      this.#report(
        field.at,
        `expected type of field '${field.name}' is '${typeText(declared)}' but provided type is '${typeText(value)}'`,
      );
    }
    return type;
  }

  #comprehension(expr: Comprehension): Type {
    const { range, initial, condition, step, result } = expr;
    this.#check(range);
    this.#check(initial);
    const accumulated = this.#typeOf(initial);
    const outer = this.#scopes;
    const accumulator: Scope = new Map([[expr.accumulator, accumulated]]);
    this.#scopes = [...outer, accumulator, this.#loopVariables(expr)];
    this.#check(condition);
    this.#expect(condition, boolType);
    this.#check(step);
    this.#expect(step, accumulated);
    this.#scopes = [...outer, accumulator];
    this.#check(result);
    this.#scopes = outer;
    return substitute(this.#bindings, this.#typeOf(result), false);
  }

  #loopVariables({ range, variable, second }: Comprehension): Scope {
    const type = substitute(this.#bindings, this.#typeOf(range), false);
    if (type.kind === "param") this.#isAssignable(dynType, type);
    const elements = elementTypes(type, second !== undefined);
    if (elements === undefined) {
      const found = `expression of type '${typeText(type)}'`;
      const needed = "cannot be range of a comprehension (must be list, map, or dynamic)";
      this.#report(range.at, `${found} ${needed}`);
    }
    const [first, other] = elements ?? [errorType, errorType];
    return new Map([
      [variable, first],
      ...(second === undefined ? [] : [[second, other] as const]),
    ]);
  }

  #expect(expr: Expr, type: Type): void {
    if (!this.#isAssignable(type, this.#typeOf(expr))) {
      this.#mismatch(expr, type, this.#typeOf(expr));
    }
  }
}

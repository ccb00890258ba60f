// Evaluates the rules of a custom resource's schema, in the whole object.
import { isObject, type JsonObject, sameJson } from "../../../../base/json/value.ts";
import type { FrameOptions, Program } from "../../../cel/compile.ts";
import { fromJson, optionalOf } from "../../../cel/json-values.ts";
import { CelError, CostLimitExceeded, type Value } from "../../../cel/values.ts";
import type { FieldError } from "../../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../../fields/field-errors.ts";
import type { JSONSchemaProps, ValidationRule } from "../../../types/apiextensions.ts";
import { isSchema } from "../json-schema.ts";
import { type CompiledRule, compileRule } from "./compile-rule.ts";
import { declaredType } from "./declared-type.ts";
import { fieldPathOf } from "./field-path.ts";

/** The most that one evaluation, and all of an object, may cost. */
const callLimit = 1_000_000;
const objectBudget = 10_000_000;
/** The longest message that an expression may make, in characters. */
const longestMessage = 5 * 1024;

const outOfBudget = new CelError("out of budget");
const overLimit = new CelError("over the limit");

export interface RuleOptions {
  /** The cost from which on evaluation has to be done in another thread. */
  readonly heavy?: number | undefined;
}

export type ValidateRules = (
  object: JsonObject,
  old: JsonObject | undefined,
  options: RuleOptions,
) => FieldError[];

/** Compiles the rules of a schema; `undefined` when it has none. */
export function compileRules(schema: JSONSchemaProps): ValidateRules | undefined {
  const root = node(schema, true);
  if (root === undefined) return undefined;
  return (object, old, { heavy }) => {
    const evaluation = new Evaluation(heavy);
    evaluation.visit(root, object, { path: "", old, unchanged: () => false, isRoot: true });
    return evaluation.errors;
  };
}

/** A schema with rules in it or below it. The rules are compiled when they are needed first. */
interface RuleNode {
  readonly schema: JSONSchemaProps;
  readonly rules: () => readonly CompiledRule[];
  readonly type: () => ReturnType<typeof declaredType>;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
}

function node(schema: JSONSchemaProps, isRoot: boolean): RuleNode | undefined {
  const isEmbedded = (one: JSONSchemaProps) => one["x-kubernetes-embedded-resource"] === true;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = node(property, isEmbedded(property));
    if (inner !== undefined) properties.set(name, inner);
  }
  const { items, additionalProperties } = schema;
  const itemNode = isSchema(items) ? node(items, isEmbedded(items)) : undefined;
  const values = isSchema(additionalProperties)
    ? node(additionalProperties, isEmbedded(additionalProperties))
    : undefined;
  const own = [
    ...(schema["x-kubernetes-validations"] ?? []),
    ...(schema.allOf ?? []).flatMap((each) => each["x-kubernetes-validations"] ?? []),
  ];
  if (own.length === 0 && properties.size === 0 && !itemNode && !values) return undefined;
  let type: ReturnType<typeof declaredType>;
  let rules: readonly CompiledRule[] | undefined;
  const typeOf = () => (type ??= declaredType(schema, isRoot));
  return {
    schema,
    type: typeOf,
    rules() {
      const declared = typeOf();
      if (declared === undefined) return [];
      return (rules ??= own.map((rule) => compileRule(rule, declared.type)));
    },
    properties,
    items: itemNode,
    values,
  };
}

interface Place {
  readonly path: string;
  readonly old: unknown;
  /** Returns whether the nearest value that has a counterpart equals it. */
  readonly unchanged: () => boolean;
  readonly isRoot?: boolean;
}

class Evaluation {
  readonly errors: FieldError[] = [];
  readonly #heavy: number | undefined;
  #budget = objectBudget;
  #spent = 0;

  constructor(heavy: number | undefined) {
    this.#heavy = heavy;
  }

  visit(rules: RuleNode, value: unknown, place: Place): void {
    if (value === null || value === undefined || this.#budget < 0) return;
    const { old } = place;
    let isSame: boolean | undefined;
    const unchanged = old === undefined ? place.unchanged : () => (isSame ??= sameJson(value, old));
    this.#evaluate(rules, value, { ...place, unchanged });
    if (Array.isArray(value)) this.#array(rules, value, { ...place, unchanged });
    else if (isObject(value)) this.#object(rules, value, { ...place, unchanged });
  }

  #array(rules: RuleNode, value: readonly unknown[], place: Place): void {
    if (rules.items === undefined) return;
    const { schema } = rules;
    const keys =
      schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
    const counterpart = keys && byKeys(place.old, keys);
    for (const [index, element] of value.entries()) {
      const path = `${place.path}[${index}]`;
      this.visit(rules.items, element, {
        ...place,
        path,
        old: counterpart?.(element),
        isRoot: false,
      });
    }
  }

  #object(rules: RuleNode, value: JsonObject, place: Place): void {
    const before = isObject(place.old) ? place.old : {};
    const inside = (inner: RuleNode | undefined, name: string, path: string): void => {
      if (inner === undefined || !Object.hasOwn(value, name)) return;
      const old = Object.hasOwn(before, name) ? before[name] : undefined;
      this.visit(inner, value[name], { ...place, path, old, isRoot: false });
    };
    for (const [name, inner] of rules.properties) {
      inside(inner, name, place.path === "" ? name : `${place.path}.${name}`);
    }
    if (rules.values === undefined) return;
    for (const name of Object.keys(value)) inside(rules.values, name, `${place.path}[${name}]`);
  }

  #evaluate(rules: RuleNode, value: unknown, place: Place): void {
    const declared = rules.type();
    const compiled = rules.rules();
    if (declared === undefined || compiled.length === 0) return;
    const self = fromJson(value, declared.type);
    const hasOld = place.old !== undefined && place.old !== null;
    const oldSelf = hasOld ? fromJson(place.old, declared.type) : undefined;
    for (const one of compiled) {
      if (this.#budget < 0) return;
      const { rule, program, usesOldSelf } = one;
      if (program === undefined) {
        this.#refuse(rules, place, `rule compile error: ${one.error}`);
        continue;
      }
      if (usesOldSelf && oldSelf === undefined && rule.optionalOldSelf !== true) continue;
      const old = rule.optionalOldSelf === true ? optionalOf(oldSelf) : (oldSelf ?? null);
      const variables = (name: string) => (name === "self" ? self : old);
      const result = this.#run(program, variables);
      this.#judge(rules, one, { result, variables, value, place });
    }
  }

  #judge(
    rules: RuleNode,
    compiled: CompiledRule,
    found: {
      result: Value;
      variables: FrameOptions["variables"];
      value: unknown;
      place: Place;
    },
  ): void {
    const { rule } = compiled;
    const { result, variables, place } = found;
    const shown = ruleText(rule);
    if (result === outOfBudget) {
      this.#budget = -1;
      const why =
        "validation failed due to running out of cost budget, no further validation rules will be run";
      this.#refuse(rules, place, why);
      return;
    }
    if (result === overLimit) {
      this.#budget = -1;
      const why = `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
      this.#refuse(rules, place, why);
      return;
    }
    if (result instanceof CelError) {
      const { message } = result;
      const isOverload = message.startsWith("no such overload");
      const why = isOverload
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
        : `${message} evaluating rule: ${shown}`;
      this.#refuse(rules, place, why);
      return;
    }
    if (result === true) return;
    // A value that was there before and has not changed is not refused: its owner may not know of the rule.
    if (!compiled.usesOldSelf && place.unchanged()) return;
    const detail = this.#message(compiled, variables);
    const type = rules.schema.type ?? "";
    const isShown = type !== "object" && type !== "array";
    const within = rule.fieldPath ? fieldPathOf(rules.schema, rule.fieldPath) : undefined;
    const field = within === undefined ? place.path : joined(place.path, within);
    this.errors.push(errorFor(rule, { field, detail, ...(isShown ? { value: found.value } : {}) }));
  }

  #message({ message, rule }: CompiledRule, variables: FrameOptions["variables"]): string {
    const text = message === undefined ? undefined : this.#run(message, variables);
    const isUsable = typeof text === "string" && text.trim() !== "" && !/[\n\r]/.test(text);
    if (isUsable && text.length <= longestMessage) return text.trim();
    return rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
  }

  #run(program: Program, variables: FrameOptions["variables"]): Value {
    const heavy = this.#heavy === undefined ? undefined : this.#heavy - this.#spent;
    try {
      const { value, cost } = program.evaluate({ variables, limit: callLimit, heavy });
      this.#spent += cost;
      if (cost > this.#budget) return outOfBudget;
      this.#budget -= cost;
      return value;
    } catch (error) {
      if (!(error instanceof CostLimitExceeded)) throw error;
      return overLimit;
    }
  }

  #refuse({ schema }: RuleNode, { path }: Place, detail: string): void {
    this.errors.push(invalid(path, schema.type ?? "", detail));
  }
}

function joined(path: string, within: string): string {
  if (path === "") return within;
  return within.startsWith("[") ? path + within : `${path}.${within}`;
}

function ruleText({ rule, message }: ValidationRule): string {
  return message ? message.trim() : rule.trim();
}

function errorFor(
  { reason }: ValidationRule,
  { field, detail, ...shown }: { field: string; value?: unknown; detail: string },
): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return { type: "FieldValueDuplicate", field, detail: "", ...shown };
    default:
      return { type: "FieldValueInvalid", field, detail, ...shown };
  }
}

/** Returns the function that finds the counterpart of an element by its keys. */
function byKeys(old: unknown, keys: readonly string[]): (element: unknown) => unknown {
  const identity = (element: unknown) =>
    JSON.stringify(keys.map((key) => (isObject(element) ? String(element[key]) : null)));
  const found = new Map<string, unknown>();
  if (Array.isArray(old)) for (const each of old) found.set(identity(each), each);
  return (element) => found.get(identity(element));
}

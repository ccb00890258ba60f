// Errors of rules that are found when a definition is written: wrong types, and costs beyond the budget.
import type { FieldError } from "../../../fields/field-error.ts";
import { forbidden, invalid, notSupported, required } from "../../../fields/field-errors.ts";
import type { JSONSchemaProps, ValidationRule } from "../../../types/apiextensions.ts";
import { isSchema } from "../json-schema.ts";
import { type CompiledRule, compileRule } from "./compile-rule.ts";
import { declaredType, largestRequest } from "./declared-type.ts";
import { fieldPathOf } from "./field-path.ts";

/** The largest estimated cost of one expression, and of all of a schema. */
const expressionLimit = 10_000_000;
const schemaLimit = 100_000_000;

/** Returns the errors of all rules of a schema; `at` is its path in the definition. */
export function ruleErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const walk = new Walk();
  walk.visit(schema, { at, cardinality: 1, isRoot: true, uncorrelatable: undefined });
  return walk.finish(at);
}

interface Place {
  readonly at: string;
  /** The number of values of the schema that an object can have; `undefined`: no limit is declared. */
  readonly cardinality: number | undefined;
  readonly isRoot: boolean;
  /** The path of the list around this schema whose elements cannot be told apart in two versions. */
  readonly uncorrelatable: string | undefined;
}

const reasons = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];

class Walk {
  readonly #errors: FieldError[] = [];
  readonly #costs: { field: string; cost: number }[] = [];

  visit(schema: JSONSchemaProps, place: Place): void {
    const { at } = place;
    const { items, additionalProperties } = schema;
    const inside = (child: JSONSchemaProps, where: string, count: number | undefined): void => {
      const { cardinality } = place;
      this.visit(child, {
        at: where,
        cardinality:
          cardinality === undefined || count === undefined ? undefined : cardinality * count,
        isRoot: child["x-kubernetes-embedded-resource"] === true,
        uncorrelatable:
          place.uncorrelatable ?? (child === items ? uncorrelatable(schema, at) : undefined),
      });
    };
    if (isSchema(additionalProperties)) {
      inside(additionalProperties, `${at}.additionalProperties`, schema.maxProperties);
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      inside(property, `${at}.properties[${name}]`, 1);
    }
    if (isSchema(items)) inside(items, `${at}.items`, schema.maxItems);
    this.#rules(schema, place);
  }

  finish(at: string): FieldError[] {
    const total = this.#costs.reduce((sum, { cost }) => sum + cost, 0);
    if (total <= schemaLimit) return this.#errors;
    const expensive = this.#costs
      .filter(({ cost }) => cost >= schemaLimit / 100)
      .toSorted((a, b) => b.cost - a.cost)
      .slice(0, 4);
    return [
      ...this.#errors,
      ...expensive.map(({ field }) =>
        forbidden(
          field,
          "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        ),
      ),
      forbidden(
        at,
        tooExpensive(
          "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
          total,
          schemaLimit,
        ),
      ),
    ];
  }

  #rules(schema: JSONSchemaProps, place: Place): void {
    const rules = schema["x-kubernetes-validations"] ?? [];
    if (rules.length === 0) return;
    const wrong = rules.flatMap((rule, index) =>
      formErrors(schema, rule, `${place.at}.x-kubernetes-validations[${index}]`),
    );
    this.#errors.push(...wrong);
    if (wrong.length > 0) return;
    const declared = declaredType(schema, place.isRoot);
    if (declared === undefined) return;
    const count = place.cardinality ?? Math.floor(largestRequest / (declared.minSize + 1));
    for (const [index, rule] of rules.entries()) {
      const at = `${place.at}.x-kubernetes-validations[${index}]`;
      this.#compiled(compileRule(rule, declared.type), { at, count, place });
    }
  }

  #compiled(
    compiled: CompiledRule,
    { at, count, place }: { at: string; count: number; place: Place },
  ): void {
    const { rule, error, messageError } = compiled;
    this.#observe(`${at}.rule`, "estimated rule cost", compiled.maxCost * count);
    if (error !== undefined) this.#errors.push(invalid(`${at}.rule`, rule, error));
    if (messageError !== undefined) {
      this.#errors.push(invalid(`${at}.messageExpression`, rule, messageError));
    } else if (compiled.message !== undefined) {
      const name = "estimated messageExpression cost";
      this.#observe(`${at}.messageExpression`, name, compiled.messageMaxCost);
    }
    if (compiled.usesOldSelf && place.uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
      this.#errors.push(invalid(`${at}.rule`, rule.rule, detail));
    }
    if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule";
      this.#errors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
  }

  #observe(field: string, name: string, cost: number): void {
    this.#costs.push({ field, cost });
    if (cost <= expressionLimit) return;
    this.#errors.push(forbidden(field, tooExpensive(name, cost, expressionLimit)));
  }
}

function uncorrelatable(schema: JSONSchemaProps, at: string): string | undefined {
  return schema["x-kubernetes-list-type"] === "map" ? undefined : at;
}

function tooExpensive(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text =
    factor > 100
      ? "more than 100x"
      : factor < 1.5
        ? `${factor.toFixed(6)}x`
        : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function formErrors(schema: JSONSchemaProps, rule: ValidationRule, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const { message = "", messageExpression = "", fieldPath = "", reason } = rule;
  const hasBreak = (text: string) => /[\n\r]/.test(text);
  if (rule.rule.trim() === "") errors.push(required(`${at}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "") {
    errors.push(invalid(`${at}.message`, message, "must be non-empty if specified"));
  } else if (hasBreak(message.trim())) {
    errors.push(invalid(`${at}.message`, message, "must not contain line breaks"));
  } else if (hasBreak(rule.rule.trim()) && message.trim() === "") {
    errors.push(
      required(`${at}.message`, "message must be specified if rule contains line breaks"),
    );
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(
      required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"),
    );
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${at}.reason`, reason, reasons));
  }
  if (fieldPath === "") return errors;
  if (fieldPath.trim() === "") {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, "must be non-empty if specified"));
  }
  if (hasBreak(fieldPath)) {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, "must not contain line breaks"));
  }
  if (fieldPathOf(schema, fieldPath) === undefined) {
    errors.push(invalid(`${at}.fieldPath`, fieldPath, "must be a valid path"));
  }
  return errors;
}

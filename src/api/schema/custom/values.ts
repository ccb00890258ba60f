// Validates values against a custom resource's schema. Shape is checked here too, because a schema may define
// it in places (alternatives) that the plain model does not have.

import { formatPath } from "../../../base/json/scan.ts";
import {
  canonicalJson,
  getOwn,
  isObject,
  type JsonObject,
  sameJson,
} from "../../../base/json/value.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, notSupported, required } from "../../fields/field-errors.ts";
import type { JSONSchemaProps } from "../../types/apiextensions.ts";
import { hasType, isSchema, typeNameOf } from "./json-schema.ts";
import { numberErrors, sizeError, stringErrors } from "./scalar-rules.ts";

const maxErrors = 100;

export function valueErrors(schema: JSONSchemaProps, value: unknown): readonly FieldError[] {
  const checker = new ValueChecker();
  checker.check(schema, value);
  return checker.errors;
}

class ValueChecker {
  readonly errors: FieldError[] = [];
  readonly #path: (string | number)[] = [];

  check(schema: JSONSchemaProps, value: unknown): void {
    if (this.errors.length >= maxErrors) return;
    const allowedNull = value === null && schema.nullable === true;
    if (!allowedNull && !hasType(schema, value)) {
      const wanted = schema["x-kubernetes-int-or-string"] === true ? "integer,string" : schema.type;
      const found = JSON.stringify(typeNameOf(value));
      const detail = `${this.#at || "the object"} in body must be of type ${wanted}: ${found}`;
      this.#add(invalid(this.#at, typeNameOf(value), detail));
      return;
    }
    const { enum: values } = schema;
    if (values !== undefined && !values.some((each) => sameJson(each, value))) {
      this.#add(
        notSupported(
          this.#at,
          value,
          values.map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
        ),
      );
    }
    if (allowedNull) return;
    if (typeof value === "string") this.#add(...stringErrors(schema, value, this.#at));
    else if (typeof value === "number" || typeof value === "bigint")
      this.#add(...numberErrors(schema, value, this.#at));
    else if (Array.isArray(value)) this.#array(schema, value);
    else if (isObject(value)) this.#object(schema, value);
    this.#alternatives(schema, value);
  }

  #array(schema: JSONSchemaProps, value: readonly unknown[]): void {
    this.#add(
      ...sizeError(value.length, {
        least: schema.minItems,
        most: schema.maxItems,
        what: "items",
        at: this.#at,
      }),
    );
    const keys = schema["x-kubernetes-list-map-keys"] ?? [];
    const listType = schema["x-kubernetes-list-type"];
    const seen = new Set<string>();
    for (const [index, element] of value.entries()) {
      this.#path.push(index);
      if (isSchema(schema.items)) this.check(schema.items, element);
      if (listType === "set" || listType === "map") {
        const identity =
          listType === "set"
            ? element
            : keys.map((key) => (isObject(element) ? getOwn(element, key) : null));
        const text = canonicalJson(identity ?? null);
        if (seen.has(text)) this.#add(duplicate(this.#at, identity));
        seen.add(text);
      }
      this.#path.pop();
    }
  }

  #object(schema: JSONSchemaProps, value: JsonObject): void {
    const names = Object.keys(value);
    this.#add(
      ...sizeError(names.length, {
        least: schema.minProperties,
        most: schema.maxProperties,
        what: "properties",
        at: this.#at,
      }),
    );
    const embedded =
      schema["x-kubernetes-embedded-resource"] === true ? ["apiVersion", "kind"] : [];
    for (const name of [...(schema.required ?? []), ...embedded]) {
      if (Object.hasOwn(value, name)) continue;
      this.#path.push(name);
      this.#add(required(this.#at));
      this.#path.pop();
    }
    for (const name of names) {
      const known = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
      const inner = known ? schema.properties?.[name] : schema.additionalProperties;
      if (!isSchema(inner)) continue;
      this.#path.push(name);
      this.check(inner, value[name]);
      this.#path.pop();
    }
  }

  #alternatives(schema: JSONSchemaProps, value: unknown): void {
    for (const each of schema.allOf ?? []) this.check(each, value);
    const fits = (each: JSONSchemaProps) => valueErrors(each, value).length === 0;
    const { anyOf, oneOf, not } = schema;
    const at = JSON.stringify(this.#at);
    if (anyOf !== undefined && anyOf.length > 0 && !anyOf.some(fits)) {
      this.#add(invalid(this.#at, value, `${at} must validate at least one schema (anyOf)`));
    }
    if (oneOf !== undefined && oneOf.length > 0) {
      const count = oneOf.filter(fits).length;
      const found = count === 0 ? "none valid" : `${count} valid alternatives`;
      if (count !== 1) {
        this.#add(
          invalid(
            this.#at,
            value,
            `${at} must validate one and only one schema (oneOf). Found ${found}`,
          ),
        );
      }
    }
    if (not !== undefined && fits(not)) {
      this.#add(invalid(this.#at, value, `${at} must not validate the schema (not)`));
    }
  }

  #add(...errors: FieldError[]): void {
    this.errors.push(...errors);
  }

  get #at(): string {
    return formatPath(this.#path);
  }
}

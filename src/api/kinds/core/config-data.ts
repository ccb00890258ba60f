// Rules that ConfigMaps and Secrets share: keys that can be file names, a limit on the total size, and the
// `immutable` switch.
import { sameJson } from "../../../base/json/value.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { forbidden } from "../../fields/field-errors.ts";
import { configKey } from "../../fields/names.ts";
import { named } from "../checks.ts";

export const maxDataBytes = 1024 * 1024;

type Data = Readonly<Record<string, string>>;

export function keyErrors(data: Data | undefined, path: string): FieldError[] {
  return Object.keys(data ?? {}).flatMap((key) => named(`${path}[${key}]`, key, configKey));
}

export function dataBytes(data: Data | undefined, encoding: "utf8" | "base64"): number {
  return Object.values(data ?? {}).reduce(
    (bytes, value) => bytes + Buffer.byteLength(value, encoding),
    0,
  );
}

export function frozenErrors<Field extends string>(
  object: { immutable?: boolean } & Partial<Record<Field, Data>>,
  old: { immutable?: boolean } & Partial<Record<Field, Data>>,
  fields: readonly Field[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  const changed = fields.filter((field) => !sameJson(object[field] ?? {}, old[field] ?? {}));
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    forbidden(field, detail),
  );
}

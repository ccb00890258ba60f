// Types of expressions, and their names in messages.

export type Type =
  | { readonly kind: Basic; readonly max?: number; readonly min?: number }
  | ListType
  | MapType
  | { readonly kind: "type"; readonly of: Type | undefined }
  | { readonly kind: "param"; readonly name: string }
  | ObjectType
  | { readonly kind: "opaque"; readonly name: string; readonly params: readonly Type[] };

type Basic =
  | "int"
  | "uint"
  | "double"
  | "bool"
  | "string"
  | "bytes"
  | "null"
  | "dyn"
  | "error"
  | "timestamp"
  | "duration";

export interface ListType {
  readonly kind: "list";
  readonly of: Type;
  /** The most elements that a value can have, as far as its schema tells. */
  readonly max?: number;
  readonly min?: number;
}

export interface MapType {
  readonly kind: "map";
  readonly key: Type;
  readonly value: Type;
  readonly max?: number;
  readonly min?: number;
}

export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  /** The fields; `undefined` for objects that have functions only. */
  readonly fields: ReadonlyMap<string, Type> | undefined;
  /** Says that any field may be set when the object is made in an expression. */
  readonly isOpen?: boolean;
}

export const intType: Type = { kind: "int" };
export const uintType: Type = { kind: "uint" };
export const doubleType: Type = { kind: "double" };
export const boolType: Type = { kind: "bool" };
export const stringType: Type = { kind: "string" };
export const bytesType: Type = { kind: "bytes" };
export const nullType: Type = { kind: "null" };
export const dynType: Type = { kind: "dyn" };
export const errorType: Type = { kind: "error" };
export const timestampType: Type = { kind: "timestamp" };
export const durationType: Type = { kind: "duration" };

export function listType(of: Type): ListType {
  return { kind: "list", of };
}

export function mapType(key: Type, value: Type): MapType {
  return { kind: "map", key, value };
}

export function optionalType(of: Type): Type {
  return { kind: "opaque", name: "optional_type", params: [of] };
}

/** Makes the type of objects that have no fields of their own. */
export function abstractType(name: string): ObjectType {
  return { kind: "object", name, fields: undefined };
}

/** Returns the parameters of a type: of a list, a map or an opaque one. */
export function parametersOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case "list":
      return [type.of];
    case "map":
      return [type.key, type.value];
    case "opaque":
      return type.params;
    case "type":
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}

/** Returns whether two types are the same; declared sizes do not count. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) return false;
  const [mine, others] = [parametersOf(a), parametersOf(b)];
  return (
    mine.length === others.length &&
    mine.every((each, index) => sameType(each, others[index] as Type))
  );
}

export function nameOf(type: Type): string {
  return "name" in type ? type.name : type.kind;
}

/** Returns the text of a type in messages. */
export function typeText(type: Type): string {
  if (type.kind === "error") return "!error!";
  const params = parametersOf(type);
  if (params.length === 0) return nameOf(type);
  return `${nameOf(type)}(${params.map(typeText).join(", ")})`;
}

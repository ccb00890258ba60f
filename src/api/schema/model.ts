// The shape of an API object, whether it comes from our own tables or from a custom resource's
// OpenAPI schema. Patches, validation, pruning, protobuf and OpenAPI documents all read this one form.

export interface Schema {
  readonly type: SchemaType;
  /** Of an object: its fields, in declaration order. */
  readonly fields?: ReadonlyMap<string, Field>;
  /** Of an array its elements, of a map its values. */
  readonly items?: Schema;
  /** How server-side apply treats a list. Absent: atomic. */
  readonly list?: ListSemantics;
  /** An object or map that server-side apply owns as a whole. */
  readonly atomic?: boolean;
  /** How a strategic merge patch treats the value. Absent: objects merge, lists are replaced. */
  readonly patch?: PatchSemantics;
  /** Fields that are not declared are kept (custom resources may ask for it). */
  readonly preserveUnknown?: boolean;
  /** The name of a named type, e.g. `io.k8s.api.core.v1.PodSpec`; anonymous shapes have none. */
  readonly name?: string;
  readonly description?: string;
  /** What an absent value stands for, and what is filled in for it. */
  readonly default?: unknown;
  /** What the values of a field of a table may be. */
  readonly facts?: Facts;
  /** Where protobuf carries the value in another form than JSON does. */
  readonly wire?: WireForm;
}

/** What a table says of the values of one field; of a list or a map: of its elements. */
export interface Facts {
  /** The values a text may have. */
  readonly values?: readonly string[];
  /** Whether other values are refused; else Kubernetes documents the values and takes any. */
  readonly closed?: boolean;
  readonly least?: number;
  readonly most?: number;
  /** The rule that a name follows, one of those of `kinds/names.ts`. */
  readonly name?: string;
  /** The longest text, in bytes, and the longest list. */
  readonly longest?: number;
  /** The field must be there and not be empty. */
  readonly present?: boolean;
  /** The facts of the fields below are not checked here, but where the value is used. */
  readonly unchecked?: boolean;
  /** What is stored stays. */
  readonly immutable?: boolean;
}

export type WireForm =
  /** A list inside a message of its own. */
  | "wrapped"
  /** A message of alternatives, which are its fields; JSON shows the chosen one's value alone. */
  | "union";

export type SchemaType =
  | "object"
  | "map"
  | "array"
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  /** Base64 text in JSON, raw bytes in protobuf. */
  | "bytes"
  /** RFC 3339 text, seconds. */
  | "time"
  /** RFC 3339 text, microseconds. */
  | "microTime"
  /** A number or a string in JSON. */
  | "intOrString"
  /** A string such as `100m`; a number is accepted. */
  | "quantity"
  /** Any JSON value (raw extensions, field sets). */
  | "any";

export interface Field {
  readonly schema: Schema;
  readonly required?: boolean;
  /** The protobuf field number; absent for fields that exist in JSON only. */
  readonly number?: number;
  /** An explicit zero value differs from an absent one (a pointer in Go): protobuf must keep it. */
  readonly pointer?: boolean;
  /** In protobuf the field sits inside messages of these numbers, the outer first; JSON shows none. */
  readonly embedded?: readonly number[];
}

export type ListSemantics =
  | { readonly type: "atomic" }
  | { readonly type: "set" }
  | { readonly type: "map"; readonly keys: readonly string[] };

export interface PatchSemantics {
  readonly strategies: readonly ("merge" | "replace" | "retainKeys")[];
  readonly mergeKey?: string;
}

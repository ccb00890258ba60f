// The shape of an API object, whether it comes from our own tables or from a custom resource's
// OpenAPI schema. Patches, validation, pruning, protobuf and OpenAPI documents all read this one form.

export interface Schema {
  readonly type: SchemaType;
  /** The fields of an object, in declaration order. */
  readonly fields?: ReadonlyMap<string, Field>;
  /** The schema of an array's elements or of a map's values. */
  readonly items?: Schema;
  /** The semantics of a list in server-side apply. Absent: atomic. */
  readonly list?: ListSemantics;
  /** Whether server-side apply owns an object or map as a whole. */
  readonly atomic?: boolean;
  /** The semantics in a strategic merge patch. Absent: objects merge, lists are replaced. */
  readonly patch?: PatchSemantics;
  /** Whether undeclared fields are kept (custom resources may ask for it). */
  readonly preserveUnknown?: boolean;
  /** The name of a named type, e.g. `io.k8s.api.core.v1.PodSpec`; anonymous shapes have none. */
  readonly name?: string;
  readonly description?: string;
  /** The default, which is filled in for an absent value. */
  readonly default?: unknown;
  /** The constraints on values of a field of a table. */
  readonly facts?: Facts;
  /** The protobuf form, where it differs from that of JSON. */
  readonly wire?: WireForm;
}

/** The constraints of a table on the values of one field; for a list or a map: on its elements. */
export interface Facts {
  /** The values that a text may have. */
  readonly values?: readonly string[];
  /** Whether other values are refused; else Kubernetes documents the values and accepts any. */
  readonly closed?: boolean;
  readonly least?: number;
  readonly most?: number;
  /** The rule that a name follows, one of those of `kinds/names.ts`. */
  readonly name?: string;
  /** The limit of a text, in bytes, or of a list, in elements. */
  readonly longest?: number;
  /** Whether the field must be present and not empty. */
  readonly present?: boolean;
  /** Whether the constraints of the fields below are checked where the value is used, instead of here. */
  readonly unchecked?: boolean;
  /** Whether the stored value cannot be changed. */
  readonly immutable?: boolean;
}

export type WireForm =
  /** A list wrapped in a message of its own. */
  | "wrapped"
  /** A message whose fields are alternatives; JSON has the value of the chosen one alone. */
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
  /** Whether an explicit zero value differs from an absent one (a pointer in Go): protobuf must keep it. */
  readonly pointer?: boolean;
  /** The numbers of the messages around the field in protobuf, outermost first; JSON has none of them. */
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

// The interface of a kind: everything the API server needs beyond the schema. That is defaults, checks, the
// fields each writer may change, and how objects are printed. All functions are pure; a kind leaves out what
// it does not need.
import type { ToldTwice } from "../apply/told-twice.ts";
import type { FieldError } from "../fields/field-error.ts";
import type { NameRule } from "../fields/names.ts";
import type { ObjectMeta } from "../types/meta.ts";

/** An API object as it arrives and as it is stored; kinds narrow it to their generated type. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** Cluster-wide settings some kinds' defaults and checks depend on. */
export interface ClusterSettings {
  /** The service CIDRs: one or two, of different families; the first one's family is the default. */
  readonly serviceCidrs: readonly string[];
  readonly now: () => Date;
  /** The cost from which on expressions are evaluated in another thread; absent: never. */
  readonly heavyCost?: number;
}

/** The circumstances of a write, beyond the object itself. */
export interface WriteContext<T extends ApiObject = ApiObject> {
  /** The stored object, on an update. */
  readonly old?: T;
  /** The kind of patch the request used; absent when the request carried the whole object. */
  readonly patch?: "json" | "merge" | "strategic" | "apply";
  /** The patch itself, as the client sent it. */
  readonly patchBody?: unknown;
  readonly subresource?: string;
  readonly settings: ClusterSettings;
}

/** The steps of a write, in this order: default, reconcile, prepare…, validate, validate…Update. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** The rule for names of the kind's objects; absent: DNS subdomains. */
  readonly name?: NameRule;
  /** Says that spec changes count up metadata.generation; absent: true for kinds with a spec. */
  readonly hasGeneration?: boolean;
  /** Fills in defaults that depend on nothing but the object itself. */
  default?(object: T): void;
  /**
   * Brings fields that say the same thing twice in step (podIP and podIPs), puts back what old
   * clients dropped, and fills in what depends on the stored object or on the cluster.
   */
  reconcile?(
    object: T,
    context: WriteContext<T>,
  ): { readonly errors: readonly FieldError[]; readonly warnings: readonly string[] };
  /**
   * Fields that are kept when a request leaves them out, in lists too: a null in a request says that
   * they are to go, as an empty value does.
   */
  readonly removable?: readonly (readonly string[])[];
  /** Repairs objects written by older versions, for every reader. */
  upgrade?(object: T): void;
  /** Resets the fields that a creator may not set (the status, mostly). */
  prepareCreate?(object: T, settings: ClusterSettings): void;
  /** Restores from `old` the fields that this writer may not change (the status, mostly). */
  prepareUpdate?(object: T, old: T, settings: ClusterSettings): void;
  /** Restores from `old` everything but the status, for writes to the status subresource. */
  prepareStatusUpdate?(object: T, old: T, settings: ClusterSettings): void;
  /** Validates every object, on create and on update. */
  validate?(object: T, settings: ClusterSettings): FieldError[];
  /** Validates a new object, besides `validate`. */
  validateCreate?(object: T, settings: ClusterSettings): FieldError[];
  /** Validates an update: returns errors for changes of immutable fields. */
  validateUpdate?(object: T, old: T, settings: ClusterSettings): FieldError[];
  validateStatusUpdate?(object: T, old: T, settings: ClusterSettings): FieldError[];
  /** Texts for `Warning:` headers. */
  warnings?(object: T, old: T | undefined): string[];
  /** Seconds a deletion waits for the object's owner to finish it; 0 or absent deletes at once. */
  gracePeriodSeconds?(object: T): number;
  /** The fields that field selectors may use besides metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[];
  /** Returns the value of a selectable field; of several values one must match. */
  selectableField?(object: T, field: string): string | readonly string[];
  /** Pairs of fields that hold the same value, for server-side apply. */
  readonly toldTwice?: readonly ToldTwice[];
  readonly table?: TableDefinition<T>;
}

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: "name";
  /** The priority of the column: 0 is always shown, 1 only with `-o wide`. */
  readonly priority?: 0 | 1;
  readonly description?: string;
}

export interface TableDefinition<T extends ApiObject = ApiObject> {
  readonly columns: readonly TableColumn[];
  /** Returns the rows of an object: mostly one; several where one cell needs several lines. */
  rows(object: T, now: Date): readonly (readonly unknown[])[];
}

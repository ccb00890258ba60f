// What the API server asks of a kind beyond its schema: defaults, checks, what each writer may touch,
// and how it is shown. All of it is pure; a kind leaves out what it does not need.
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
  /** One or two, different families; the first is the default family. */
  readonly serviceCidrs: readonly string[];
  readonly now: () => Date;
}

/** What a write is about, beyond the object itself. */
export interface WriteContext<T extends ApiObject = ApiObject> {
  /** What is stored, on an update. */
  readonly old?: T;
  /** How the object was patched; absent when the request carried all of it. */
  readonly patch?: "json" | "merge" | "strategic" | "apply";
  /** The patch itself, as the client sent it. */
  readonly patchBody?: unknown;
  readonly subresource?: string;
  readonly settings: ClusterSettings;
}

/** The steps of a write, in this order: default, reconcile, prepare…, validate, validate…Update. */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Which names its objects may have; absent: DNS subdomains. */
  readonly name?: NameRule;
  /** Whether changes of what is wanted are counted; absent: kinds with a spec count theirs. */
  readonly hasGeneration?: boolean;
  /** Fills in what does not depend on anything but the object itself. */
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
  /** What a creator may not decide (status, mostly) is reset here. */
  prepareCreate?(object: T, settings: ClusterSettings): void;
  /** Keeps what this writer may not touch (status, mostly) from `old`. */
  prepareUpdate?(object: T, old: T, settings: ClusterSettings): void;
  /** The same for the status subresource: everything but status is kept from `old`. */
  prepareStatusUpdate?(object: T, old: T, settings: ClusterSettings): void;
  /** Of every object, on create and on update. */
  validate?(object: T, settings: ClusterSettings): FieldError[];
  /** Only what an update may not change. */
  validateUpdate?(object: T, old: T, settings: ClusterSettings): FieldError[];
  validateStatusUpdate?(object: T, old: T, settings: ClusterSettings): FieldError[];
  /** Texts for `Warning:` headers. */
  warnings?(object: T, old: T | undefined): string[];
  /** Seconds a deletion waits for the object's owner to finish it; 0 or absent deletes at once. */
  gracePeriodSeconds?(object: T): number;
  /** Field selectors besides metadata.name and metadata.namespace… */
  readonly selectableFields?: readonly string[];
  /** …and the value of one; several values match when one of them does. */
  selectableField?(object: T, field: string): string | readonly string[];
  /** Values that two fields tell, for server-side apply. */
  readonly toldTwice?: readonly ToldTwice[];
  readonly table?: TableDefinition<T>;
}

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: "name";
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority?: 0 | 1;
  readonly description?: string;
}

export interface TableDefinition<T extends ApiObject = ApiObject> {
  readonly columns: readonly TableColumn[];
  /** One row of cells an object, mostly; several where one cell needs several lines. */
  rows(object: T, now: Date): readonly (readonly unknown[])[];
}

// The types of objects in the client, and their keys.

import type { Kinds } from "../types/kinds.ts";
import type { NamedMeta, NamespacedMeta, ObjectMeta } from "../types/meta.ts";

/** The fields that every object of the API has. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: NamedMeta;
}

/** An object of a kind this project does not know. */
export interface CustomObject extends ApiObject {
  metadata: NamespacedMeta;
  [field: string]: unknown;
}

/** Every object of a kind this project knows. */
export type KnownObject = Extract<Kinds[keyof Kinds], ApiObject>;

/** The namespace and name of an object. */
export type Place<T extends ApiObject> = T["metadata"] extends NamespacedMeta
  ? { readonly namespace: string; readonly name: string }
  : { readonly name: string };

/** An object to be created: the server knows its kind, and may generate its name. */
export type Draft<T extends ApiObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  apiVersion?: T["apiVersion"];
  kind?: T["kind"];
  metadata: ObjectMeta & Omit<Place<T>, "name">;
};

/** A part of an object, recursively. */
export type Part<T> = T extends readonly (infer Element)[]
  ? Part<Element>[]
  : T extends object
    ? { [Field in keyof T]?: Part<T[Field]> }
    : T;

/** The parts of an object to change; null removes one. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Field in keyof T]?: MergePatch<T[Field]> | null }
    : T;

/** The key of an object in queues and caches: `namespace/name`, or the name alone if it has no namespace. */
export function keyOf({ metadata: { namespace, name } }: { metadata: ObjectMeta }): string {
  return namespace === undefined ? (name ?? "") : `${namespace}/${name}`;
}

export interface KeyParts {
  /** The namespace; "" when the key has none. */
  readonly namespace: string;
  readonly name: string;
}

export function splitKey(key: string): KeyParts {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}

// The owners in metadata.managedFields: who owns which fields.

import { defined } from "../../base/json/defined.ts";
import { compareText, isObject, type JsonObject } from "../../base/json/value.ts";
import type { FieldSet } from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";

export type Operation = "Apply" | "Update";

/** The identity of a writer, with one entry each. Appliers keep their entry across API versions. */
export interface OwnerName {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** The subresource; empty for the object itself. */
  readonly subresource: string;
}

export class Owner {
  readonly name: OwnerName;
  /** The time in RFC 3339, to the second. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The decoded entry, which is written again unchanged as long as the set stays the same. */
  readonly #entry: JsonObject | undefined;

  constructor(
    name: OwnerName,
    set: FieldSet,
    from: { time?: string | undefined; entry?: JsonObject },
  ) {
    this.name = name;
    this.set = set;
    this.time = from.time;
    this.#entry = from.entry;
  }

  withSet(set: FieldSet): Owner {
    return set === this.set ? this : new Owner(this.name, set, { time: this.time });
  }

  encode(): JsonObject {
    const { manager, operation, apiVersion, subresource } = this.name;
    return (
      this.#entry ?? {
        ...(manager === "" ? {} : { manager }),
        operation,
        apiVersion,
        ...defined({ time: this.time }),
        fieldsType: "FieldsV1",
        fieldsV1: encodeFields(this.set),
        ...(subresource === "" ? {} : { subresource }),
      }
    );
  }
}

/** The owners by `ownerId`. */
export type Owners = ReadonlyMap<string, Owner>;

/** The id of an owner, equal for its writes. Kubernetes orders conflicts by it. */
export function ownerId(name: OwnerName): string {
  return JSON.stringify({
    ...(name.manager === "" ? {} : { manager: name.manager }),
    operation: name.operation,
    ...(name.operation === "Apply" ? {} : { apiVersion: name.apiVersion }),
    ...(name.subresource === "" ? {} : { subresource: name.subresource }),
  });
}

/** Decodes managedFields; throws a SyntaxError when the entries are invalid. */
export function decodeOwners(entries: unknown): Owners {
  const owners = new Map<string, Owner>();
  if (entries === undefined || entries === null) return owners;
  if (!Array.isArray(entries)) throw new SyntaxError("Cannot read managedFields: it is no list");
  for (const [index, entry] of entries.entries()) {
    const owner = decodeOwner(entry, index);
    owners.set(ownerId(owner.name), owner);
  }
  return owners;
}

/** Encodes the entries in the order Kubernetes keeps: appliers first, then by time and name. */
export function encodeOwners(owners: Owners): JsonObject[] {
  return [...owners.values()].toSorted(compareOwners).map((owner) => owner.encode());
}

/** The age of an entry, in seconds since 1970; entries without a time are the oldest. */
export function secondsOf(owner: Owner): number {
  return owner.time === undefined ? 0 : Math.floor(Date.parse(owner.time) / 1000);
}

function compareOwners(left: Owner, right: Owner): number {
  return (
    compareText(left.name.operation, right.name.operation) ||
    secondsOf(left) - secondsOf(right) ||
    compareText(left.name.manager, right.name.manager) ||
    compareText(left.name.apiVersion, right.name.apiVersion) ||
    compareText(left.name.subresource, right.name.subresource)
  );
}

function decodeOwner(entry: unknown, index: number): Owner {
  const fail = (state: string): never => {
    throw new SyntaxError(`Cannot read managedFields[${index}]: ${state}`);
  };
  if (!isObject(entry)) return fail("it is no object");
  const { manager = "", operation, apiVersion, time, fieldsType, subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") {
    return fail("operation must be Apply or Update");
  }
  if (typeof apiVersion !== "string" || apiVersion === "") return fail("apiVersion is missing");
  if (fieldsType !== "FieldsV1") return fail(`fieldsType is ${JSON.stringify(fieldsType)}`);
  if (typeof manager !== "string") return fail("manager is no text");
  if (typeof subresource !== "string") return fail("subresource is no text");
  if (time !== undefined && time !== null && !isTime(time)) return fail("time is no timestamp");
  const name = { manager, operation, apiVersion, subresource } as const;
  const set = decodeFields(entry["fieldsV1"] ?? {});
  return new Owner(name, set, { time: time ?? undefined, entry });
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

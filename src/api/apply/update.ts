// Field ownership after a create, an update or a patch other than apply.

import { type JsonObject, sameJson } from "../../base/json/value.ts";
import { capUpdates } from "./cap.ts";
import { isEmpty, union } from "./field-set.ts";
import { entriesOf, withOwners, withoutEntries } from "./managed-object.ts";
import { decodeOwners, Owner, type OwnerName, type Owners, ownerId } from "./owners.ts";
import { ownable, reconciled, transfer } from "./ownership.ts";
import { ShapeError } from "./shape.ts";
import type { Versions } from "./version.ts";

export interface Writer {
  /** The field manager: from the request, else the first word of its user agent. */
  readonly manager: string;
  /** The subresource; empty or absent for the object itself. */
  readonly subresource?: string;
  /** The time of the write: RFC 3339, seconds. */
  readonly now: string;
}

/**
 * The object to store: `next` with managedFields that record who set what. On create there is no `live`
 * object. Objects that exist without managedFields are not tracked, nor is a write whose list elements lack
 * their keys.
 */
export function trackUpdate(
  live: JsonObject | undefined,
  next: JsonObject,
  options: Writer & Versions,
): JsonObject {
  const before = withoutEntries(live ?? {});
  const after = withoutEntries(next);
  const owners = currentOwners(live, next, options);
  if (owners.size === 0 && live !== undefined) return after;
  try {
    return withOwners(after, capUpdates(recordWrite(owners, { before, after }, options)));
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return withOwners(after, owners);
  }
}

/** The owners after the writer has turned one object into the other. */
export function recordWrite(
  owners: Owners,
  write: { before: JsonObject; after: JsonObject },
  options: Writer & Versions,
): Owners {
  const known = reconciled(owners, write.before, options);
  const outcome = transfer(known, { ...write, versions: options });
  const written = ownable(outcome.written);
  if (isEmpty(written)) return outcome.owners;
  const name = writerName(options, "Update");
  const previous = outcome.owners.get(ownerId(name));
  const set = previous === undefined ? written : union(written, previous.set);
  return new Map(outcome.owners).set(ownerId(name), new Owner(name, set, { time: options.now }));
}

export function writerName(
  options: Writer & Versions,
  operation: OwnerName["operation"],
): OwnerName {
  const { manager, apiVersion, subresource = "" } = options;
  return { manager: manager === "" ? "unknown" : manager, operation, apiVersion, subresource };
}

/**
 * The owners before the write. A client may edit managedFields through the object itself; an empty list
 * resets them. Clients that do not know the field leave it out, which must not lose it.
 */
function currentOwners(live: JsonObject | undefined, next: JsonObject, options: Writer): Owners {
  const stored = live === undefined ? undefined : entriesOf(live);
  const given = entriesOf(next);
  const isSubresource = (options.subresource ?? "") !== "";
  if (isSubresource || given === stored) return readOwners(stored) ?? new Map<string, Owner>();
  if (isReset(given)) return new Map();
  const owners = readOwners(given);
  return owners === undefined || owners.size === 0 ? (readOwners(stored) ?? new Map()) : owners;
}

function isReset(entries: unknown): boolean {
  return sameJson(entries, []) || sameJson(entries, [{}]);
}

/** Decodes owners; undefined when the entries are invalid: a broken record is as good as none. */
function readOwners(entries: unknown): Owners | undefined {
  try {
    return decodeOwners(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

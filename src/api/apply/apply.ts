// Server-side apply: merges a configuration into an object and records who owns which fields.

import { type JsonObject, sameJson } from "../../base/json/value.ts";
import { faultsOf } from "./check.ts";
import { appliedByClient, kubectl, syncAnnotation } from "./client-side.ts";
import { ApplyConflictError, conflictsOf } from "./conflict.ts";
import { fieldsOf } from "./extract.ts";
import { has, isEmpty, sameSet } from "./field-set.ts";
import { entriesOf, metadataOf, withOwners, withoutEntries } from "./managed-object.ts";
import { merge } from "./merge.ts";
import { decodeOwners, encodeOwners, Owner, type Owners, ownerId } from "./owners.ts";
import { ownable, reconciled, transfer } from "./ownership.ts";
import { prune } from "./prune.ts";
import { ShapeError } from "./shape.ts";
import { pairConflicts, type ToldTwice } from "./told-twice.ts";
import { recordWrite, type Writer, writerName } from "./update.ts";
import { touchable, type Versions } from "./version.ts";

export interface ApplyOptions extends Writer, Versions {
  /** Whether to take fields from other managers instead of failing with a conflict. */
  readonly force?: boolean;
  /** The pairs of this kind: values that are in a singular field and in a list. */
  readonly pairs?: readonly ToldTwice[];
}

/** The error of a configuration that cannot be applied to any object, whoever owns what: 400. */
export class ApplyError extends Error {
  override readonly name = "ApplyError";
  readonly reason = "BadRequest";
}

/**
 * The object after a manager applied its configuration, with managedFields; `live` itself when that
 * changes nothing. To create, apply to an object that has only its type and name. Throws an
 * ApplyError or an ApplyConflictError. Fields set to null stay null; the caller drops them.
 */
export function applyConfiguration(
  live: JsonObject,
  config: JsonObject,
  options: ApplyOptions,
): JsonObject {
  checkRequest(config, options);
  const bare = withoutEntries(live);
  const result = guarded(() =>
    applyTo(bare, config, { owners: liveOwners(live, options), options }),
  );
  const object =
    options.manager === kubectl ? syncAnnotation(result.object, config) : result.object;
  if (object === bare && sameJson(encodeOwners(result.owners), entriesOf(live) ?? [])) return live;
  return withOwners(object, result.owners);
}

interface Applied {
  readonly object: JsonObject;
  readonly owners: Owners;
}

function applyTo(
  live: JsonObject,
  config: JsonObject,
  { owners, options }: { owners: Owners; options: ApplyOptions },
): Applied {
  const name = writerName(options, "Apply");
  const id = ownerId(name);
  const known = reconciled(owners, live, options);
  const last = known.get(id);
  const set = touchable(options, fieldsOf(options.schema, config));
  const claimed = new Map(known).set(id, new Owner(name, set, {}));
  const merged = merge(options.schema, live, config);
  const next = prune(merged, { last, owners: claimed, versions: options });
  const outcome = transfer(claimed, { before: live, after: next, versions: options, writer: id });
  const conflicts = [
    ...conflictsOf(outcome.taken),
    ...pairConflicts({ live, config }, { pairs: options.pairs ?? [], owners: known, writer: id }),
  ];
  if (options.force !== true && conflicts.length > 0) {
    const allowed = options.manager === kubectl ? appliedByClient(live, options) : undefined;
    const remaining = conflicts.filter(({ path }) => allowed === undefined || !has(allowed, path));
    if (remaining.length > 0) throw new ApplyConflictError(remaining);
  }
  const object = sameJson(live, next) ? live : next;
  const owned = ownable(set);
  const left = new Map(outcome.owners);
  left.delete(id);
  if (!isEmpty(owned)) {
    const isUnchanged = object === live && last !== undefined && sameSet(last.set, owned);
    left.set(id, isUnchanged ? last : new Owner(name, owned, { time: options.now }));
  }
  return { object, owners: left };
}

/** The owners of the live object; an untracked one belongs to whoever wrote it before the first apply. */
function liveOwners(live: JsonObject, options: ApplyOptions): Owners {
  const owners = decodeOwners(entriesOf(live));
  if (owners.size > 0) return owners;
  const { apiVersion, kind } = live;
  const write = { before: { apiVersion, kind }, after: withoutEntries(live) };
  return recordWrite(owners, write, { ...options, manager: "before-first-apply" });
}

/** Turns shape and syntax errors into an ApplyError: stored objects may be older than the schema. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ShapeError) && !(error instanceof SyntaxError)) throw error;
    throw new ApplyError(`Cannot apply to the live object: ${error.message}`, { cause: error });
  }
}

function checkRequest(config: JsonObject, options: ApplyOptions): void {
  if (config["apiVersion"] !== options.apiVersion) {
    throw new ApplyError(
      `Incorrect version specified in apply patch. Specified patch version: ${textOf(config["apiVersion"])}, expected: ${options.apiVersion}`,
    );
  }
  if ((metadataOf(config)["managedFields"] ?? null) !== null) {
    throw new ApplyError("metadata.managedFields must be nil");
  }
  const faults = faultsOf(options.schema, config);
  if (faults.length === 0) return;
  const { namespace = "", name = "" } = metadataOf(config);
  const version = options.apiVersion.includes("/") ? options.apiVersion : `/${options.apiVersion}`;
  const what = `${textOf(namespace)}/${textOf(name)}; ${version}, Kind=${textOf(config["kind"])}`;
  const detail = faults.length === 1 ? faults[0] : ["errors:", ...faults].join("\n  ");
  throw new ApplyError(`failed to create typed patch object (${what}): ${detail}`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

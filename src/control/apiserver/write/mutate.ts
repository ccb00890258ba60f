// The write loop: builds the new object from the newest state, commits it on the condition that the state is
// still the same, and starts over when another writer was faster.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { defined } from "../../../base/json/defined.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { Compare, Operation } from "../../store/store.ts";
import { mayWaitFor } from "../admission/dynamic.ts";
import { encodeStored, Item, itemFromStored, type Selectable } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { modified, objectTooLarge, StatusError } from "../errors.ts";
import { objectKey } from "../keys.ts";
import { largestObject } from "../limits/object-size.ts";
import type { Companions } from "../resources/companions.ts";
import type { ServedResource } from "../resources/served.ts";

export type Plan =
  | {
      readonly type: "put";
      readonly object: ApiObject;
      readonly isGenerated?: boolean;
      readonly compare?: readonly Compare[];
    }
  /** A write that another thread planned: only the stored form is known. */
  | {
      readonly type: "put";
      readonly value: Buffer;
      readonly isSame: boolean;
      readonly isGenerated?: boolean;
      readonly selectable?: Selectable | undefined;
      readonly compare?: readonly Compare[];
    }
  | { readonly type: "delete" }
  | { readonly type: "keep" };

export interface Mutation {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  /** Plans the write; called again whenever the state has changed meanwhile. */
  plan(old: Item | undefined): Plan | Promise<Plan>;
}

export interface Outcome {
  readonly type: Plan["type"];
  /** The new state; for a deleted object the last one. */
  readonly item: Item;
}

const maximumAttempts = 20;

export function mutate(core: Core, mutation: Mutation): Promise<Outcome> {
  const { resource, namespace, name } = mutation;
  const key = objectKey(resource.collection, namespace, name);
  // A webhook may write the very object it is asked about, and a slow one must not stop other writers.
  if (mayWaitFor(core, resource)) return tryToMutate(core, mutation, key);
  return core.locks.with(key, () => tryToMutate(core, mutation, key));
}

async function tryToMutate(core: Core, mutation: Mutation, key: string): Promise<Outcome> {
  const { resource, namespace, name } = mutation;
  const collection = core.cache.collection(resource.collection);
  let isRefreshed = false;
  for (let attempt = 0; attempt < maximumAttempts; attempt++) {
    const old = collection.get(namespace, name);
    try {
      const plan = await mutation.plan(old);
      const outcome = await carryOut(core, mutation, { key, plan, old, attempt });
      if (outcome !== undefined) return outcome;
    } catch (error) {
      // A refusal based on old state, of this object or its namespace, may not hold for the newest.
      if (!(error instanceof StatusError) || isRefreshed || error.isFinal) throw error;
      const seen = core.cache.revision;
      await core.cache.current();
      if (core.cache.revision === seen) throw error;
      isRefreshed = true;
    }
  }
  throw modified(resource.groupResource, name);
}

interface Try {
  readonly key: string;
  readonly plan: Plan;
  readonly old: Item | undefined;
  readonly attempt: number;
}

/** Commits a plan; `undefined` when the state has changed meanwhile. */
async function carryOut(core: Core, mutation: Mutation, each: Try): Promise<Outcome | undefined> {
  const { resource, namespace, name, dryRun } = mutation;
  const { key, old } = each;
  const companionsOf = core.companions.get(resource.collection);
  // The plan is copied: companions complete the object, and another attempt needs it unchanged.
  const plan = companionsOf === undefined ? each.plan : opened(each.plan);
  if (plan.type === "keep" || (plan.type === "delete" && old === undefined)) {
    return old && { type: "keep", item: old };
  }
  const companions =
    companionsOf === undefined ? alone : await companionsOf(changeOf(plan, old), each.attempt);
  const value = plan.type === "put" ? storedForm(plan) : undefined;
  if (value !== undefined && plan.type === "put" && old !== undefined) {
    const isUnchanged = "value" in plan ? plan.isSame : isSame(old, plan.object, value);
    if (isUnchanged) return { type: "keep", item: old };
  }
  if (value !== undefined && value.length > largestObject) {
    throw objectTooLarge(resource.groupResource, name, largestObject);
  }
  if (dryRun) return pretend(mutation, value, old);

  if (value !== undefined) {
    const selectable = "selectable" in plan ? plan.selectable : undefined;
    core.cache.expect(key, value, selectable && { of: resource.selectable, value: selectable });
  }
  const compare = [
    { key, modified: old?.modified ?? 0 },
    ...(plan.type === "put" ? (plan.compare ?? []) : []),
    ...companions.compare,
  ];
  const operations = [operation(key, value, resource.ttlSeconds), ...companions.operations];
  const { ok, revision } = await core.store.commit({ compare, operations });
  if (!ok) core.cache.unexpect(key);
  await core.cache.reached(revision);
  if (!ok) return undefined;
  if (value === undefined) return old && { type: "delete", item: old.at(revision) };
  const now = core.cache.collection(resource.collection).get(namespace, name);
  const item =
    now?.modified === revision ? now : itemFromStored(mutation, value, { modified: revision });
  return { type: "put", item };
}

const alone: Companions = { compare: [], operations: [] };

type Put = Extract<Plan, { type: "put" }>;

function storedForm(plan: Put): Buffer {
  return "value" in plan ? plan.value : encodeStored(plan.object);
}

/** Returns the object of a plan, parsed if need be. */
export function objectOf(plan: Put): ApiObject {
  return "value" in plan ? (readJson(plan.value.toString()) as ApiObject) : plan.object;
}

/** Returns a copy of the plan that may be changed. */
function opened(plan: Plan): Exclude<Plan, { value: Buffer }> {
  if (!("value" in plan)) return structuredClone(plan);
  return {
    type: "put",
    object: objectOf(plan),
    ...defined({ compare: plan.compare }),
  };
}

function changeOf(plan: Plan, old: Item | undefined): { old?: ApiObject; new?: ApiObject } {
  return {
    ...defined({ old: old?.parse() }),
    ...("object" in plan ? { new: plan.object } : {}),
  };
}

function operation(
  key: string,
  value: Buffer | undefined,
  ttlSeconds: number | undefined,
): Operation {
  if (value === undefined) return { type: "delete", key };
  return { type: "put", key, value, ...defined({ ttlSeconds }) };
}

/** Returns whether nothing changes. Lengths are compared first: the order of fields does not affect them. */
function isSame(old: Item, object: ApiObject, value: Buffer): boolean {
  if (old.storedLength !== value.length) return false;
  const before = old.parse();
  delete before.metadata?.resourceVersion;
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return sameJson(before, { ...object, metadata });
}

/** Returns the outcome of a dry run, under the revision of the stored object. */
function pretend(
  mutation: Mutation,
  value: Buffer | undefined,
  old: Item | undefined,
): Outcome | undefined {
  if (value === undefined) return old && { type: "delete", item: old };
  const item =
    old === undefined
      ? new Item(mutation, value, { modified: 0 })
      : itemFromStored(mutation, value, { modified: old.modified });
  return { type: "put", item };
}

// Every write: build the new object from the newest state, commit it on the condition that the state
// is still the same, and start over when somebody else was faster.

import { sameJson } from "../../api/json/value.ts";
import type { ApiObject } from "../../api/kinds/kind.ts";
import type { Compare, Operation } from "../../store/port.ts";
import { encodeStored, Item, itemFromStored } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { modified, StatusError } from "../errors.ts";
import { objectKey } from "../keys.ts";
import type { ServedResource } from "../resources/served.ts";

export type Plan =
  | { readonly type: "put"; readonly object: ApiObject; readonly compare?: readonly Compare[] }
  | { readonly type: "delete" }
  | { readonly type: "keep" };

export interface Mutation {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly dryRun: boolean;
  /** Called again, with a higher attempt, whenever the state has changed meanwhile. */
  plan(old: Item | undefined, attempt: number): Plan | Promise<Plan>;
}

export interface Outcome {
  readonly type: Plan["type"];
  /** The new state; the last one, if the object is gone. */
  readonly item: Item;
}

const maximumAttempts = 20;

export async function mutate(core: Core, mutation: Mutation): Promise<Outcome> {
  const { resource, namespace, name } = mutation;
  const collection = core.cache.collection(resource.collection);
  for (let attempt = 0; attempt < maximumAttempts; attempt++) {
    const old = collection.get(namespace, name);
    let plan: Plan;
    try {
      plan = await mutation.plan(old, attempt);
    } catch (error) {
      // What was refused on old state may be fine on the newest.
      if (!(error instanceof StatusError)) throw error;
      await core.cache.current();
      if (collection.get(namespace, name) === old) throw error;
      continue;
    }
    const outcome = await carryOut(core, mutation, { plan, old });
    if (outcome !== undefined) return outcome;
  }
  throw modified(resource.groupResource, name);
}

async function carryOut(
  core: Core,
  mutation: Mutation,
  { plan, old }: { plan: Plan; old: Item | undefined },
): Promise<Outcome | undefined> {
  const { resource, namespace, name, dryRun } = mutation;
  const place = { namespace, name };
  const key = objectKey(resource.collection, namespace, name);
  if (plan.type === "keep" && old !== undefined) return { type: "keep", item: old };

  let value: Buffer | undefined;
  if (plan.type === "put") {
    value = encodeStored(plan.object);
    if (old !== undefined && isSame(old, plan.object, value)) return { type: "keep", item: old };
    if (dryRun) return { type: "put", item: unstored(place, value, old) };
  } else if (old === undefined || dryRun) {
    return old && { type: "delete", item: old };
  }
  const compare = [
    { key, modified: old?.modified ?? 0 },
    ...(plan.type === "put" ? (plan.compare ?? []) : []),
  ];
  const { ttlSeconds } = resource;
  const operation: Operation =
    value === undefined
      ? { type: "delete", key }
      : { type: "put", key, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  const { ok, revision } = await core.store.commit({ compare, operations: [operation] });
  await core.cache.reached(revision);
  if (!ok) return undefined;
  if (value === undefined) return old && { type: "delete", item: old.at(revision) };
  const now = core.cache.collection(resource.collection).get(namespace, name);
  const item = now?.modified === revision ? now : itemFromStored(place, value, revision);
  return { type: "put", item };
}

/** The same fields in another order make the same number of bytes. */
function isSame(old: Item, object: ApiObject, value: Buffer): boolean {
  if (old.storedLength !== value.length) return false;
  const before = old.parse();
  delete before.metadata?.resourceVersion;
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return sameJson(before, { ...object, metadata });
}

/** What a dry run would have stored, under the revision of what is there. */
function unstored(
  place: { namespace: string; name: string },
  value: Buffer,
  old: Item | undefined,
): Item {
  return old === undefined ? new Item(place, value, 0) : itemFromStored(place, value, old.modified);
}

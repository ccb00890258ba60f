// Collects garbage: deletes objects that have lost their owners, and finishes owners that waited for their
// dependents.

import { Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import type { ApiObject, CustomObject, Place } from "../../../api/client/objects.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { OwnerReference } from "../../../api/types/meta.ts";
import { type Part, runAll } from "../../../base/program/run-all.ts";
import type { ControllerContext, ControllerEntry } from "../context.ts";
import { decide, isWaiting, type OwnerState } from "./decide.ts";
import { Monitors } from "./monitors.ts";
import type { GraphItem } from "./owner-graph.ts";

const concurrency = 8;
/** The size of the cache of uids that no object has; uids are never reused. */
const maximumAbsent = 10_000;

export const garbageCollection: ControllerEntry = {
  name: "garbage-collector",
  create: garbageCollector,
};

function garbageCollector(context: ControllerContext): Part {
  const { client, recorder } = context;
  const monitors = new Monitors(context);
  const { graph } = monitors;
  const absent = new Set<string>();

  const reconcile = async (uid: string, signal: AbortSignal): Promise<void> => {
    const item = graph.get(uid);
    if (item === undefined || (item.owners.length === 0 && !item.isDeleting)) return;
    const owners = new Map<OwnerReference, OwnerState>();
    for (const owner of item.isDeleting ? [] : item.owners) {
      owners.set(owner, await stateOf(owner, item, signal));
    }
    const dependents = graph.dependentsOf(uid);
    const decision = decide(item, { owners, dependents });
    switch (decision.do) {
      case "nothing":
        return;
      case "wait":
        for (const dependent of decision.for) controller.enqueue(dependent.uid);
        return;
      case "orphan":
        for (const dependent of dependents) {
          const rest = dependent.owners.filter((owner) => owner.uid !== uid);
          await patch(dependent, { ownerReferences: rest }, signal);
        }
        return;
      case "finish": {
        const finalizers = item.finalizers.filter((each) => each !== decision.finalizer);
        return await patch(item, { finalizers }, signal);
      }
      case "setOwners":
        return await patch(item, { ownerReferences: decision.owners }, signal);
      case "delete":
        return await remove(item, decision.policy, signal);
    }
  };

  const stateOf = async (
    owner: OwnerReference,
    item: GraphItem,
    signal: AbortSignal,
  ): Promise<OwnerState> => {
    if (absent.has(`${item.namespace} ${owner.uid}`)) return "absent";
    const known = graph.get(owner.uid);
    if (known !== undefined && isMeant(owner, item, known)) {
      return isWaiting(known) ? "waiting" : "solid";
    }
    const resource = monitors.resourceOf(groupOf(owner), owner.kind);
    if (resource === undefined) {
      throw new Error(`Cannot tell whether ${owner.kind} ${owner.name} exists: it is not served`);
    }
    if (resource.namespaced && item.namespace === "") {
      complain(item, owner, "an object without a namespace cannot have an owner in one");
      return "unknown";
    }
    const place = resource.namespaced ? { namespace: item.namespace } : {};
    try {
      const found = await client
        .metadata(resource)
        .get({ ...place, name: owner.name } as Place<CustomObject>, { signal });
      if (found.metadata.uid === owner.uid) return "solid";
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (known !== undefined && known.namespace !== item.namespace) {
      complain(item, owner, `it is in the namespace ${known.namespace}`);
    }
    if (absent.size >= maximumAbsent) absent.clear();
    absent.add(`${item.namespace} ${owner.uid}`);
    return "absent";
  };

  const complain = (item: GraphItem, { kind, name, uid }: OwnerReference, why: string): void => {
    recorder.record(objectOf(item), {
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: `Cannot be owned by ${kind} ${name} (${uid}): ${why}`,
    });
  };

  const patch = async (
    item: GraphItem,
    changes: {
      readonly ownerReferences?: readonly OwnerReference[];
      readonly finalizers?: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<void> => {
    const merge = { metadata: { uid: item.uid, resourceVersion: item.version, ...changes } };
    await ifThere(clientOf(item).patch(placeOf(item), { merge: merge as object }, { signal }));
  };

  const remove = async (
    item: GraphItem,
    propagationPolicy: "Background" | "Foreground" | "Orphan",
    signal: AbortSignal,
  ): Promise<void> => {
    // With preconditions nothing is deleted if the owners change meanwhile.
    const preconditions = { uid: item.uid, resourceVersion: item.version };
    const options = { propagationPolicy, preconditions, signal };
    await ifThere(clientOf(item).delete(placeOf(item), options));
  };

  const clientOf = ({ resource }: GraphItem): ResourceClient<Pick<CustomObject, keyof ApiObject>> =>
    client.metadata(resource);

  const controller = new Controller({
    ...context,
    sources: [monitors],
    concurrency,
    reconcile,
  });
  return {
    name: controller.name,
    run: (signal) => runAll([monitors, controller], signal),
  };
}

/** Whether the owner is the one that the reference names: kind and name must match, not only the uid. */
function isMeant(owner: OwnerReference, item: GraphItem, known: GraphItem): boolean {
  return (
    known.name === owner.name &&
    known.resource.kind === owner.kind &&
    (known.namespace === "" || known.namespace === item.namespace)
  );
}

function groupOf({ apiVersion }: OwnerReference): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

function placeOf({ namespace, name }: GraphItem): Place<CustomObject> {
  return (namespace === "" ? { name } : { namespace, name }) as Place<CustomObject>;
}

function objectOf({ resource, namespace, name, uid }: GraphItem): ApiObject {
  const { group, version, kind } = resource;
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata: { name, uid, ...(namespace === "" ? {} : { namespace }) },
  };
}

async function ifThere(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

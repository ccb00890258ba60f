// Empties namespaces that are being deleted of objects of every kind, then removes their finalizer.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { rule } from "../../../api/kinds/rbac.ts";
import type { Namespace } from "../../../api/types/core.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { ControllerContext, ControllerEntry } from "../context.ts";
import { createServedResources, type ServedResource } from "../served-resources.ts";
import { changedConditions, type Outcome, type Remaining } from "./remaining.ts";

const finalizer = "kubernetes";
const needed = ["list", "deletecollection"];
const concurrency = 4;
/** The intervals for polling while objects remain, since the removal of their finalizers is not watched. */
const again = { firstMs: 250, lastMs: 5_000 };

export const namespaceDeletion: ControllerEntry = {
  name: "namespaces",
  rights: [rule("update", "core", "namespaces/finalize")],
  create: namespaceController,
};

function namespaceController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const namespaces = client.resource("v1", "Namespace");
  const informer = informers.of(namespaces);
  const served = context.shared(createServedResources);
  /** The present interval of each namespace. */
  const patience = new Map<string, number>();

  const reconcile = async (name: string, signal: AbortSignal): Promise<Again | void> => {
    const namespace = informer.get(name);
    const isEnding = namespace?.metadata.deletionTimestamp !== undefined;
    if (!isEnding || !(namespace.spec.finalizers ?? []).includes(finalizer)) {
      patience.delete(name);
      return;
    }
    const outcome = await empty(name, signal);
    try {
      if (isDone(outcome)) await finalize(namespace, signal);
      else await report(namespace, outcome, signal);
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
    if (isDone(outcome)) return;
    const wait = patience.get(name) ?? again.firstMs;
    patience.set(name, Math.min(2 * wait, again.lastMs));
    return { againInMs: wait };
  };

  const empty = async (namespace: string, signal: AbortSignal): Promise<Outcome> => {
    let resources: readonly ServedResource[];
    try {
      resources = await served.all(signal);
    } catch (error) {
      signal.throwIfAborted();
      return { remaining: [], failures: [], discoveryFailure: describeError(error) };
    }
    const remaining: Remaining[] = [];
    const failures: string[] = [];
    const [pods, others] = podsFirst(resources.filter(isNamespaced));
    for (const resource of [...pods, ...others]) {
      // Pods are deleted first: the objects that they use stay while there are pods.
      if (!pods.includes(resource) && remaining.length > 0 && hasPods(remaining)) break;
      try {
        const left = await clear(resource, namespace, signal);
        if (left.count > 0) remaining.push(left);
      } catch (error) {
        signal.throwIfAborted();
        // A CustomResourceDefinition that is deleted takes its objects along.
        if (!isNotFound(error)) failures.push(describeError(error));
      }
    }
    return { remaining, failures };
  };

  const clear = async (
    definition: ServedResource,
    namespace: string,
    signal: AbortSignal,
  ): Promise<Remaining> => {
    const resource = client.metadata(definition);
    const { group, plural } = definition;
    const name = group === "" ? plural : `${plural}.${group}`;
    const first = await resource.list({ namespace, limit: 1, signal });
    if (first.items.length === 0) return { resource: name, count: 0, finalizers: {} };
    await resource.deleteCollection({ namespace }, { propagationPolicy: "Background", signal });
    const { items } = await resource.listAll({ namespace, signal });
    const finalizers: Record<string, number> = {};
    for (const each of items.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
      finalizers[each] = (finalizers[each] ?? 0) + 1;
    }
    return { resource: name, count: items.length, finalizers };
  };

  const report = async (namespace: Namespace, outcome: Outcome, signal: AbortSignal) => {
    const conditions = changedConditions(namespace, outcome, clock.now());
    if (conditions === undefined) return;
    const merge = { status: { conditions } };
    await namespaces.patchStatus(namespace.metadata, { merge }, { signal });
  };

  const finalize = async (namespace: Namespace, signal: AbortSignal): Promise<void> => {
    const finalizers = (namespace.spec.finalizers ?? []).filter((each) => each !== finalizer);
    const { name, resourceVersion = "" } = namespace.metadata;
    await client.transport.send({
      method: "PUT",
      path: `/api/v1/namespaces/${encodeURIComponent(name)}/finalize`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...namespace,
        metadata: { name, resourceVersion },
        spec: { finalizers },
      }),
      signal,
    });
  };

  return new Controller({
    ...context,
    sources: [informer],
    concurrency,
    reconcile,
  });
}

function podsFirst(
  resources: readonly ServedResource[],
): readonly [pods: readonly ServedResource[], others: readonly ServedResource[]] {
  const isPods = ({ group, plural }: ServedResource) => group === "" && plural === "pods";
  return [resources.filter(isPods), resources.filter((each) => !isPods(each))];
}

function hasPods(remaining: readonly Remaining[]): boolean {
  return remaining.some(({ resource }) => resource === "pods");
}

function isNamespaced({ namespaced, verbs }: ServedResource): boolean {
  return namespaced && needed.every((verb) => verbs.includes(verb));
}

function isDone({ remaining, failures, discoveryFailure }: Outcome): boolean {
  return remaining.length === 0 && failures.length === 0 && discoveryFailure === undefined;
}

import { admitDynamically, hasDynamicAdmission } from "../admission/dynamic.ts";
import type { Core } from "../core.ts";
import { notFound } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendObject } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import { resourceForms, sendItem } from "../views/answer.ts";
import { chooseView } from "../views/choose.ts";
import { type DeleteOptions, readDeleteOptions } from "../write/delete-options.ts";
import { planDeletion } from "../write/end-of-life.ts";
import { mutate, type Outcome } from "../write/mutate.ts";
import { admit } from "../write/prepare.ts";

export async function deleteOne(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target, info, request } = exchange;
  const form = negotiate(request.headers.accept, resourceForms(resource));
  const view = chooseView(core, resource, { form, query: info.query });
  const options = await readDeleteOptions(exchange);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  const { type, item } = await deleteObject(core, exchange, { resource, namespace, name, options });
  if (type !== "delete") {
    await view.prepare?.([item]);
    const isAccepted = options.propagationPolicy === "Foreground";
    const code = isAccepted ? 202 : 200;
    await sendItem(core, exchange, { view, item, form, code });
    return;
  }
  const { group, plural } = resource;
  sendObject(exchange, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(group === "" ? {} : { group }),
      kind: plural,
      uid: item.parse().metadata?.uid,
    },
  });
}

export interface Deletion {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  /** Says that policies and webhooks have been asked already, about the eviction of a pod. */
  readonly isAdmitted?: boolean;
}

export function deleteObject(
  core: Core,
  exchange: ResourceExchange,
  what: Deletion,
): Promise<Outcome> {
  const { resource, namespace, name, options } = what;
  return mutate(core, {
    resource,
    namespace,
    name,
    dryRun: options.dryRun,
    async plan(item) {
      if (item === undefined) throw notFound(resource.groupResource, name);
      if (core.access.admission !== undefined) admit(core, exchange, { old: item.parse() });
      if (what.isAdmitted !== true && hasDynamicAdmission(core)) {
        const { dryRun } = options;
        const old = item.parse();
        await admitDynamically(core, exchange, { operation: "DELETE", resource, old, dryRun });
      }
      return planDeletion(resource, item, { options, now: core.settings.now() });
    },
  });
}

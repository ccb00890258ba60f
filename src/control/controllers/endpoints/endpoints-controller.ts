// Reconciles the Endpoints object of every service that has a selector.

import { Controller } from "../../../api/client/controller.ts";
import type { ControllerContext } from "../context.ts";
import { WriteThrough } from "../write-through.ts";
import { desiredEndpoints, isOurs } from "./desired-endpoints.ts";
import { createServicePods } from "./service-pods.ts";

const concurrency = 8;

export function endpointsController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const pods = context.shared(createServicePods);
  const services = informers.of(client.resource("v1", "Service"));
  const resource = client.resource("v1", "Endpoints");
  const informer = informers.of(resource);
  const endpoints = new WriteThrough(resource, informer);

  const reconcile = async (key: string, signal: AbortSignal): Promise<void> => {
    const service = services.get(key);
    const present = endpoints.get(key);
    if (service === undefined || service.spec.type === "ExternalName") {
      // Hand-written Endpoints may be created before their service, so only our own are deleted.
      if (present !== undefined && isOurs(present)) await endpoints.delete(present, { signal });
      return;
    }
    if (Object.keys(service.spec.selector ?? {}).length === 0) return;
    const desired = desiredEndpoints(service, pods.backendsOf(service), present);
    if (desired === undefined) return;
    if (present === undefined) await endpoints.create(desired, { signal });
    else await endpoints.update(desired, { signal });
  };

  return new Controller({
    ...context,
    sources: [pods, informer],
    concurrency,
    reconcile,
  });
}

// Reads the objects that a description needs.

import type { Client } from "../../api/client/client.ts";
import { isNotFound } from "../../api/client/errors.ts";
import { podsOfNode, withFields } from "../../api/client/field-selectors.ts";
import type { ApiObject } from "../../api/client/objects.ts";
import type { Event } from "../../api/types/core.ts";
import { defined } from "../../base/json/defined.ts";
import { describeEndpoints } from "./endpoints.ts";
import { describeNode } from "./node.ts";
import { describePod } from "./pod.ts";
import { describeService } from "./service.ts";

export interface Wanted {
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Readers by kind; each returns the lines that describe an object, before they are laid out. */
export const descriptions = {
  async pod(client: Client, { signal, ...place }: Wanted) {
    const pod = await client.resource("v1", "Pod").get(place, { signal });
    return describePod({ pod, events: await eventsOf(client, pod, signal) }, new Date());
  },
  async service(client: Client, { signal, ...place }: Wanted) {
    const service = await client.resource("v1", "Service").get(place, { signal });
    const endpoints = await ifThere(client.resource("v1", "Endpoints").get(place, { signal }));
    const events = await eventsOf(client, service, signal);
    return describeService({ service, endpoints, events }, new Date());
  },
  async endpoints(client: Client, { signal, ...place }: Wanted) {
    const endpoints = await client.resource("v1", "Endpoints").get(place, { signal });
    const events = await eventsOf(client, endpoints, signal);
    return describeEndpoints({ endpoints, events }, new Date());
  },
  async node(client: Client, { name, signal }: Wanted) {
    const node = await client.resource("v1", "Node").get({ name }, { signal });
    const leases = client.resource("coordination.k8s.io/v1", "Lease");
    const lease = await ifThere(leases.get({ namespace: "kube-node-lease", name }, { signal }));
    const { items: pods } = await client
      .resource("v1", "Pod")
      .listAll({ ...podsOfNode(name), signal });
    const events = await eventsOf(client, node, signal);
    return describeNode({ node, lease, pods, events }, new Date());
  },
} as const;

async function eventsOf(
  client: Client,
  { kind, metadata }: ApiObject,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { namespace, name, uid = "" } = metadata;
  const fields = withFields({
    "involvedObject.kind": kind,
    "involvedObject.name": name,
    // Events about nodes refer to them by name only, not by the node's uid.
    ...(namespace === undefined ? {} : { "involvedObject.uid": uid }),
  });
  const { items } = await client
    .resource("v1", "Event")
    .listAll({ ...defined({ namespace }), ...fields, signal });
  return items;
}

async function ifThere<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

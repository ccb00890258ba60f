// The watches that an agent has besides those of its own node and pods. A hollow node has them too, each with a
// connection of its own, but keeps nothing of what they tell.

import type { Client } from "../../api/client/client.ts";
import { Follow } from "../../api/client/informer.ts";
import type { ApiObject } from "../../api/client/objects.ts";
import type { Selection } from "../../api/client/options.ts";
import type { ResourceClient } from "../../api/client/resource-client.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";

export const watchGroups = ["routes", "proxy", "policies", "balancer"] as const;
export type WatchGroup = (typeof watchGroups)[number];

/** Called for every object that a watch of a node has told of. */
export type Seen = (object: ApiObject, node: string) => void;

interface Options {
  readonly node: string;
  readonly client: Client;
  readonly groups: readonly WatchGroup[];
  readonly seen?: Seen | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The selection of the proxy: it leaves out headless services. */
const proxied: Selection = { labelSelector: "!service.kubernetes.io/headless" };
/** The leases by which announcers of load balancer addresses know each other. */
const announcers: Selection = {
  namespace: "kube-node-lease",
  labelSelector: "tandem.internal/announcer",
};

export function watchesOf(options: Options): readonly Part[] {
  const { client, groups } = options;
  const nodes = client.resource("v1", "Node");
  const services = client.resource("v1", "Service");
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const parts: Readonly<Record<WatchGroup, () => readonly Part[]>> = {
    routes: () => [watchOf(nodes, {}, options)],
    proxy: () => [watchOf(services, proxied, options), watchOf(slices, proxied, options)],
    policies: () => [
      watchOf(client.resource("v1", "Pod"), {}, options),
      watchOf(client.resource("v1", "Namespace"), {}, options),
      watchOf(nodes, {}, options),
      watchOf(client.resource("networking.k8s.io/v1", "NetworkPolicy"), {}, options),
    ],
    balancer: () => [
      watchOf(services, {}, options),
      watchOf(slices, {}, options),
      watchOf(nodes, {}, options),
      watchOf(client.resource("coordination.k8s.io/v1", "Lease"), announcers, options),
    ],
  };
  return groups.flatMap((group) => parts[group]());
}

function watchOf<T extends ApiObject>(
  resource: ResourceClient<T>,
  selection: Selection,
  { node, seen, clock, random, log }: Options,
): Part {
  const tell = (object: T): void => seen?.(object, node);
  const ignore = (): void => undefined;
  const follower = { begin: ignore, put: tell, remove: tell, finish: ignore, watching: ignore };
  const follow = new Follow(resource, follower, { selection, stream: false, clock, random, log });
  return { name: resource.definition.plural, run: (signal) => follow.run(signal) };
}

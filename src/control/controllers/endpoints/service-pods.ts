// Follows services, pods and nodes, and reports which services a change concerns.

import type { Informer, KeySource } from "../../../api/client/informer.ts";
import { byNode } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import type { Node, Pod, Service } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { ControllerBase } from "../context.ts";
import { type Backend, backendsOf } from "./backend.ts";
import { SelectorIndex } from "./selector-index.ts";

/** Creates the index that all controllers of services' pods share. */
export function createServicePods({ client, informers }: ControllerBase): ServicePods {
  return new ServicePods({
    services: informers.of(client.resource("v1", "Service")),
    pods: informers.of(client.resource("v1", "Pod"), { indexes: [byNode] }),
    nodes: informers.of(client.resource("v1", "Node")),
  });
}

interface Followed {
  readonly services: Informer<Service>;
  /** The pods, indexed by node. */
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
}

const zoneLabel = "topology.kubernetes.io/zone";

export class ServicePods implements KeySource {
  readonly synced: Promise<void>;
  readonly #followed: Followed;
  readonly #index = new SelectorIndex();
  readonly #subscribers = new Set<(service: string) => void>();
  /** The pods as they are in the index. */
  readonly #pods = new Map<string, Pod>();
  readonly #zones = new Map<string, string>();

  constructor(followed: Followed) {
    const { services, pods, nodes } = followed;
    this.#followed = followed;
    this.synced = Promise.all([services.synced, pods.synced, nodes.synced]).then(() => undefined);
    services.subscribe((key) => this.#takeService(key));
    pods.subscribe((key) => this.#takePod(key));
    nodes.subscribe((key) => this.#takeNode(key));
  }

  subscribe(add: (key: string) => void): () => void {
    this.#subscribers.add(add);
    for (const service of this.#followed.services.list()) add(keyOf(service));
    return () => this.#subscribers.delete(add);
  }

  backendsOf(service: Service): Backend[] {
    const pods = [...this.#index.podsOf(keyOf(service))].flatMap(
      (key) => this.#pods.get(key) ?? [],
    );
    return backendsOf(service, pods, { zoneOf: (node) => this.#zones.get(node) });
  }

  #takeService(key: string): void {
    const service = this.#followed.services.get(key);
    if (service === undefined) this.#index.removeService(key);
    else this.#index.putService(key, service.metadata.namespace, service.spec.selector ?? {});
    this.#tell([key]);
  }

  #takePod(key: string): void {
    const before = this.#pods.get(key);
    const pod = this.#followed.pods.get(key);
    const concerned = new Set(this.#index.servicesOf(key));
    if (pod === undefined) {
      this.#pods.delete(key);
      this.#index.removePod(key);
    } else {
      this.#pods.set(key, pod);
      if (before !== undefined && isSameToServices(before, pod)) return;
      this.#index.putPod(key, pod.metadata.namespace, pod.metadata.labels ?? {});
    }
    for (const service of this.#index.servicesOf(key)) concerned.add(service);
    this.#tell(concerned);
  }

  /**
   * Updates a node's zone. Nodes report often, but hardly ever change their zone, which alone concerns
   * services.
   */
  #takeNode(name: string): void {
    const zone = this.#followed.nodes.get(name)?.metadata.labels?.[zoneLabel];
    if (zone === this.#zones.get(name)) return;
    if (zone === undefined) this.#zones.delete(name);
    else this.#zones.set(name, zone);
    const pods = this.#followed.pods.by(byNode, name);
    this.#tell(new Set(pods.flatMap((pod) => this.#index.servicesOf(keyOf(pod)))));
  }

  #tell(services: Iterable<string>): void {
    for (const service of services) for (const add of this.#subscribers) add(service);
  }
}

/** Whether two states of a pod are the same to services: most of its reports do not concern them. */
function isSameToServices(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.spec.nodeName === after.spec.nodeName &&
    before.status?.phase === after.status?.phase &&
    sameJson(before.metadata.labels, after.metadata.labels) &&
    sameJson(before.status?.podIPs, after.status?.podIPs) &&
    readiness(before) === readiness(after)
  );
}

function readiness({ status }: Pod): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

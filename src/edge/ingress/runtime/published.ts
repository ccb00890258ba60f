// Publishes addresses in the status of each Ingress that is served.

import type { Client } from "../../../api/client/client.ts";
import { Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Ingress, IngressLoadBalancerIngress } from "../../../api/types/networking.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import type { ClusterView } from "./cluster-view.ts";

export interface PublishedOptions {
  readonly client: Client;
  readonly view: ClusterView;
  readonly addresses: readonly Address[];
  /** The service in front of nginx, as `namespace/name`, whose addresses are published instead. */
  readonly service: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly registry: Registry;
}

export class Published {
  readonly #options: PublishedOptions;
  #controller: Controller | undefined;
  #served: ReadonlySet<string> = new Set();

  constructor(options: PublishedOptions) {
    this.#options = options;
  }

  /** Sets the Ingresses whose status gets the addresses. */
  show(served: ReadonlySet<string>): void {
    const before = this.#served;
    this.#served = served;
    for (const key of served) if (!before.has(key)) this.#controller?.enqueue(key);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { view, service, registry } = this.#options;
    const ofService = view.services.mapped((each) =>
      `${each.metadata.namespace}/${each.metadata.name}` === service ? this.#served : [],
    );
    this.#controller = new Controller({
      ...this.#options,
      metrics: registry,
      name: "ingress-status",
      sources: [view.ingresses, ofService],
      reconcile: (key, stop) => this.#reconcile(key, stop),
    });
    await this.#controller.run(signal);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { client, view } = this.#options;
    const ingress = view.ingresses.get(key);
    if (ingress === undefined || !this.#served.has(key)) return;
    const wanted = this.#wanted();
    if (wanted === undefined || isSame(ingress, wanted)) return;
    const { namespace, name } = ingress.metadata;
    const merge = { status: { loadBalancer: { ingress: [...wanted] } } };
    try {
      const resource = client.resource("networking.k8s.io/v1", "Ingress");
      await resource.patchStatus({ namespace, name }, { merge }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #wanted(): readonly IngressLoadBalancerIngress[] | undefined {
    const { view, service, addresses } = this.#options;
    if (service === undefined) {
      return addresses.length === 0
        ? undefined
        : addresses.map((address) => ({ ip: address.toString() }));
    }
    const found = view.services.get(service);
    return found === undefined ? undefined : addressesOf(found);
  }
}

/** The external addresses of a service; none yet if its load balancer has not been assigned any. */
export function addressesOf({ spec, status }: Service): IngressLoadBalancerIngress[] {
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) =>
    defined({ ip, hostname }),
  );
  const external = (spec.externalIPs ?? []).map((ip) => ({ ip }));
  if (balanced.length + external.length > 0 || spec.type === "LoadBalancer") {
    return [...balanced, ...external];
  }
  return (spec.clusterIPs ?? [])
    .filter((text) => Address.tryParse(text) !== undefined)
    .map((ip) => ({ ip }));
}

function isSame({ status }: Ingress, wanted: readonly IngressLoadBalancerIngress[]): boolean {
  const words = (list: readonly IngressLoadBalancerIngress[]) =>
    JSON.stringify(list.map(({ ip, hostname }) => [ip, hostname]));
  return words(status?.loadBalancer?.ingress ?? []) === words(wanted);
}

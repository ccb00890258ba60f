// Brings the slices of a service about, for any manager of slices.

import type { Informer, KeySource } from "../../../api/client/informer.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { ControllerContext } from "../context.ts";
import { WriteThrough } from "../write-through.ts";
import { managedByLabel, serviceNameLabel } from "./labels.ts";
import { planSlices, type SlicePlan } from "./slice-changes.ts";

export class SliceKeeper {
  /** The services whose slices of this manager have changed. */
  readonly changes: KeySource;
  readonly #slices: WriteThrough<EndpointSlice>;
  readonly #byService: (slice: EndpointSlice) => readonly string[];

  constructor({ client, informers }: ControllerContext, manager: string) {
    const resource = client.resource("discovery.k8s.io/v1", "EndpointSlice");
    this.#byService = ({ metadata: { namespace, labels = {} } }) =>
      labels[managedByLabel] === manager ? [`${namespace}/${labels[serviceNameLabel]}`] : [];
    const informer: Informer<EndpointSlice> = informers.of(resource, {
      indexes: [this.#byService],
    });
    this.#slices = new WriteThrough(resource, informer);
    this.changes = informer.mapped(this.#byService);
  }

  /** Without groups, all slices of the service go. */
  async keep(
    service: string,
    wanted: Pick<SlicePlan, "groups" | "owner"> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const present = this.#slices.by(this.#byService, service);
    const changes =
      wanted === undefined
        ? { create: [], update: [], delete: present }
        : planSlices({
            ...wanted,
            present,
            isTaken: (name) => this.#slices.get(`${wanted.owner.namespace}/${name}`) !== undefined,
          });
    // What an endpoint is moved to is written before what it is moved from.
    await Promise.all([
      ...changes.create.map((slice) => this.#slices.create(slice, { signal })),
      ...changes.update.map((slice) => this.#slices.update(slice, { signal })),
    ]);
    await Promise.all(changes.delete.map((slice) => this.#slices.delete(slice, { signal })));
  }
}

// Writes the EndpointSlices of a service, for any manager of slices.

import type { Informer, KeySource } from "../../../api/client/informer.ts";
import { managedByLabel, serviceKeysOf } from "../../../api/kinds/discovery.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { ControllerContext } from "../context.ts";
import { WriteThrough } from "../write-through.ts";
import { planSlices, type SlicePlan } from "./slice-changes.ts";

/** The slices that a service should have of one manager, whom the owner's labels name. */
export type WantedSlices = Pick<SlicePlan, "groups" | "owner">;

export class SliceKeeper {
  /** The services whose slices of these managers have changed. */
  readonly changes: KeySource;
  readonly #slices: WriteThrough<EndpointSlice>;
  readonly #byService: (slice: EndpointSlice) => readonly string[];

  constructor({ client, informers }: ControllerContext, managers: readonly string[]) {
    const resource = client.resource("discovery.k8s.io/v1", "EndpointSlice");
    this.#byService = (slice) => (managers.includes(managerOf(slice)) ? serviceKeysOf(slice) : []);
    const informer: Informer<EndpointSlice> = informers.of(resource, {
      indexes: [this.#byService],
    });
    this.#slices = new WriteThrough(resource, informer);
    this.changes = informer.mapped(this.#byService);
  }

  /**
   * Reconciles the slices of a service. There is at most one entry for each manager; slices of managers
   * without one are deleted.
   */
  async keep(service: string, wanted: readonly WantedSlices[], signal: AbortSignal): Promise<void> {
    const present = Map.groupBy(this.#slices.by(this.#byService, service), managerOf);
    const changes = wanted.map((each) => {
      const manager = managerOf(each.owner);
      const own = present.get(manager) ?? [];
      present.delete(manager);
      const isTaken = (name: string): boolean =>
        this.#slices.get(`${each.owner.namespace}/${name}`) !== undefined;
      return planSlices({ ...each, present: own, isTaken });
    });
    // The slice that an endpoint moves to is written before the one that it moves from.
    await Promise.all([
      ...changes.flatMap(({ create }) =>
        create.map((slice) => this.#slices.create(slice, { signal })),
      ),
      ...changes.flatMap(({ update }) =>
        update.map((slice) => this.#slices.update(slice, { signal })),
      ),
    ]);
    const spare = [...changes.flatMap((each) => each.delete), ...[...present.values()].flat()];
    await Promise.all(spare.map((slice) => this.#slices.delete(slice, { signal })));
  }
}

function managerOf({ metadata }: Pick<EndpointSlice, "metadata"> | WantedSlices["owner"]): string {
  return metadata.labels?.[managedByLabel] ?? "";
}

import { isChangedMeanwhile, keptElsewhere } from "../errors.ts";
import type { Cluster } from "./cluster.ts";
import { readRequest } from "./read-request.ts";
import type { ClusterStore } from "./store.ts";

/** The number of attempts for a change without a generation, when concurrent changes are faster. */
const attempts = 10;

/** The operations on clusters, independent of REST or Kubernetes. */
export class ClusterService {
  readonly #store: ClusterStore;
  readonly #isKubernetesKept: boolean;

  constructor(store: ClusterStore, { isKubernetesKept = false } = {}) {
    this.#store = store;
    this.#isKubernetesKept = isKubernetesKept;
  }

  async create(body: unknown): Promise<Cluster> {
    return this.#store.create(readRequest(body));
  }

  get(id: string): Promise<Cluster> {
    return this.#store.get(id);
  }

  list(): Promise<Cluster[]> {
    return this.#store.list();
  }

  /** Updates a cluster. With a generation: fails when it has changed since. Without: updates the newest. */
  update(id: string, body: unknown, generation?: number): Promise<Cluster> {
    return this.#change(id, generation, (old, read) =>
      this.#store.update(id, read, readRequest(body, old)),
    );
  }

  delete(id: string, generation?: number): Promise<void> {
    return this.#change(id, generation, (_, read) => this.#store.delete(id, read));
  }

  async #change<T>(
    id: string,
    wanted: number | undefined,
    change: (old: Cluster, generation: number) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const old = await this.#store.get(id);
      if (this.#isKubernetesKept && old.kube !== undefined) throw keptElsewhere(id, old.kube);
      try {
        return await change(old, wanted ?? old.generation);
      } catch (error) {
        if (wanted !== undefined || !isChangedMeanwhile(error) || attempt === attempts) throw error;
      }
    }
  }
}

import { once } from "node:events";
import type { ApiObject } from "../objects.ts";
import type { ResourceClient } from "../resource-client.ts";
import {
  Informer,
  type InformerOptions,
  type InformerSettings,
  type KeySource,
} from "./informer.ts";

/** The informers of a process, shared by all users of the same objects. */
export class Informers {
  readonly #settings: InformerSettings;
  readonly #shared = new Map<string, Shared>();
  #start: ((informer: Runnable) => void) | undefined;

  constructor(settings: InformerSettings) {
    this.#settings = settings;
  }

  /** The informer of a selection, created on first use; may be called at any time, also while these run. */
  of<T extends ApiObject>(
    resource: ResourceClient<T>,
    options: InformerOptions<T> = {},
  ): Informer<T> {
    const { namespace, labelSelector, fieldSelector, transform, indexes = [] } = options;
    const id = JSON.stringify([resource.id, namespace, labelSelector, fieldSelector]);
    const shared = this.#shared.get(id);
    if (shared === undefined) {
      const informer = new Informer(resource, options, this.#settings);
      this.#shared.set(id, { informer, transform });
      this.#start?.(informer);
      return informer;
    }
    if (shared.transform !== transform) {
      throw new Error(`Cannot share an informer of ${resource.id}: the transforms differ`);
    }
    const informer = shared.informer as Informer<T>;
    for (const index of indexes) informer.addIndex(index);
    return informer;
  }

  /** Resolves when all informers requested so far have synced. */
  async synced(): Promise<void> {
    await Promise.all([...this.#shared.values()].map(({ informer }) => informer.synced));
  }

  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const running: Promise<void>[] = [];
    this.#start = (informer) => {
      running.push(informer.run(stop).catch((error: unknown) => failed.abort(error)));
    };
    for (const { informer } of this.#shared.values()) this.#start(informer);
    if (!stop.aborted) await once(stop, "abort");
    this.#start = undefined;
    await Promise.all(running);
    failed.signal.throwIfAborted();
  }
}

type Runnable = KeySource & { run(signal: AbortSignal): Promise<void> };

interface Shared {
  readonly informer: Runnable;
  readonly transform: unknown;
}

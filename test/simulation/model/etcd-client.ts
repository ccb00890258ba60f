// The client of the model of etcd in one process: the calls of EtcdClient, over the simulated network.

import type { EtcdClient } from "../../../src/base/etcd/client.ts";
import { EtcdError } from "../../../src/base/etcd/errors.ts";
import { Mailbox } from "../../../src/base/etcd/mailbox.ts";
import type { WatchBatch, WatchOptions } from "../../../src/base/etcd/watch.ts";
import { Lost, type Network } from "../network.ts";
import type { Process } from "../process.ts";
import type { Simulation } from "../simulation.ts";
import type { ModelEtcd } from "./etcd.ts";

/** The part of EtcdClient that stores use. */
export type UsedEtcdClient = Pick<
  EtcdClient,
  "range" | "txn" | "put" | "compact" | "grantLease" | "watch" | "close"
>;

export interface EtcdPlace {
  readonly simulation: Simulation;
  readonly network: Network;
  readonly etcd: ModelEtcd;
  /** The process of etcd. */
  readonly server: Process;
  /** The process of the client. */
  readonly process: Process;
}

const retryMs = 250;
const mostWaiting = 4 << 20;

export class ModelEtcdClient implements UsedEtcdClient {
  /** The revision from which a watch that was cut goes on. */
  resumeAfter: (seen: number) => number = (seen) => seen;
  readonly #place: EtcdPlace;

  constructor(place: EtcdPlace) {
    this.#place = place;
  }

  range(...[request]: Parameters<EtcdClient["range"]>): ReturnType<EtcdClient["range"]> {
    return this.#call((etcd) => etcd.range(request), true);
  }

  txn(...[request]: Parameters<EtcdClient["txn"]>): ReturnType<EtcdClient["txn"]> {
    return this.#call((etcd) => etcd.txn(request));
  }

  async put(...[request]: Parameters<EtcdClient["put"]>): ReturnType<EtcdClient["put"]> {
    const { header } = await this.txn({ success: [{ put: request }] });
    return { header, prevKv: undefined };
  }

  async compact({
    revision = 0,
  }: Parameters<EtcdClient["compact"]>[0]): ReturnType<EtcdClient["compact"]> {
    return this.#call((etcd) => {
      etcd.compact(revision);
      return { header: { revision: etcd.revision } };
    });
  }

  async grantLease(ttlSeconds: number): ReturnType<EtcdClient["grantLease"]> {
    const { simulation, server } = this.#place;
    return this.#call((etcd) => {
      const id = simulation.draw(1, Number.MAX_SAFE_INTEGER);
      etcd.grant(id);
      simulation.after(ttlSeconds * 1000, () => etcd.expire(id), server);
      return { id, ttlSeconds };
    });
  }

  /** Watches as EtcdClient does: it resumes after the last revision it has seen. */
  async *watch(options: WatchOptions): AsyncGenerator<WatchBatch> {
    const { process } = this.#place;
    let seen = options.after ?? this.#place.etcd.revision;
    while (!options.signal.aborted) {
      try {
        for await (const batch of this.#follow(options, seen)) {
          if (batch.revision <= seen) continue;
          seen = batch.revision;
          yield batch;
        }
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        await process.clock.sleep(retryMs, options.signal).catch((stopped: unknown) => {
          if (!options.signal.aborted) throw stopped;
        });
        seen = this.resumeAfter(seen);
      }
    }
  }

  close(): void {
    // Nothing stays open: connections end with their process.
  }

  async *#follow(options: WatchOptions, after: number): AsyncGenerator<WatchBatch> {
    const { network, etcd, server, process } = this.#place;
    const { key, rangeEnd, signal } = options;
    const mailbox = new Mailbox<WatchBatch>(mostWaiting);
    const end = rangeEnd === undefined ? `${key}\0` : Buffer.from(rangeEnd).toString();
    const stop = (): void => mailbox.close();
    signal.addEventListener("abort", stop, { once: true });
    let leave: () => void = () => undefined;
    try {
      await network.call(process, server, async () => {
        const wire = network.connect<WatchBatch>(server, process, {
          take: (batch) => void mailbox.put(batch, 0),
          over: (loss) => mailbox.close(new Lost(loss ?? "cut")),
        });
        leave = etcd.watch(
          { key, end, tell: (revision, events) => wire.send({ revision, events }) },
          after,
        );
      });
      yield* mailbox;
    } finally {
      leave();
      signal.removeEventListener("abort", stop);
    }
  }

  async #call<T>(serve: (etcd: ModelEtcd) => T, isRead = false): Promise<T> {
    const { network, etcd, server, process } = this.#place;
    try {
      return await network.call(process, server, async () => serve(etcd));
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      const reason = isRead || error.loss === "unreachable" ? "unavailable" : "unknown-outcome";
      throw new EtcdError(`Cannot call etcd: ${error.message}`, { reason, cause: error });
    }
  }
}

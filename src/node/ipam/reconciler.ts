import { type Clock, pause } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import type { Datastore, Reservation } from "./datastore/port.ts";
import { reconcile, type World } from "./reconcile.ts";
import { Suspects } from "./suspects.ts";

export interface ReconcilerOptions {
  readonly datastore: Datastore;
  readonly node: string;
  readonly hasNamespace: World["hasNamespace"];
  readonly clock: Clock;
  readonly log: Log;
  /**
   * The time between two rounds; half a minute when not given, so that a leaked address is free within a
   * minute.
   */
  readonly intervalMs?: number;
}

const usualIntervalMs = 30_000;

/** Releases reservations that no living pod needs, again and again, and logs each. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #suspects = new Suspects();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, intervalMs = usualIntervalMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#round();
      } catch (error) {
        log.error("cannot reconcile reservations", { error });
      }
      await pause(clock, intervalMs, signal);
    }
  }

  async #round(): Promise<void> {
    const { datastore, node, hasNamespace, clock, log } = this.#options;
    const world = { now: clock.now(), node, hasNamespace };
    for (const freed of await reconcile(datastore, world, this.#suspects)) {
      log.info("released an address", describe(freed));
    }
    for (const { node: gone, prefix } of await datastore.releaseSlices()) {
      log.info("took back a slice", { node: gone, slice: prefix.toString() });
    }
  }
}

function describe({ address, owner, ifname, pool }: Reservation): Record<string, string> {
  return { address: address.toString(), owner, interface: ifname, pool: pool.name };
}

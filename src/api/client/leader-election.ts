// Leader election: one leader among several candidates, by a Lease that expires unless it is renewed. A
// leader's work is stopped when it could not renew for `renewDeadlineMs`, counted from before the last
// renewal was sent; others take over when they have seen no renewal for `leaseDurationMs`. Each side counts
// on its own clock, so only the rates of the clocks have to agree.

import { type Clock, pause } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Lease } from "../types/coordination.ts";
import { LeaseHold } from "./lease-hold.ts";
import { clientMetrics } from "./metrics.ts";
import type { Place } from "./objects.ts";
import type { ResourceClient } from "./resource-client.ts";

export interface LeaderElectionOptions {
  readonly leases: ResourceClient<Lease>;
  readonly lease: Place<Lease>;
  /** The identity, unique to each candidate, also for the same program started again. */
  readonly identity: string;
  /**
   * The work of the leader. It must stop soon after the signal aborts: others wait no longer than the lease
   * lasts. When it ends by itself, the candidacy ends.
   */
  lead(signal: AbortSignal): Promise<void>;
  /** The lease's duration; 15 seconds if not given. */
  readonly leaseDurationMs?: number;
  /** The time to renew before leadership is given up; 10 seconds if not given. */
  readonly renewDeadlineMs?: number;
  /** The interval of attempts; 2 seconds if not given. */
  readonly retryMs?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
}

export class LeaderElection {
  readonly name: string;
  readonly #options: LeaderElectionOptions;
  readonly #hold: LeaseHold;
  readonly #renewDeadlineMs: number;
  readonly #retryMs: number;
  readonly #log: Log;
  /** The monotonic time until which this candidate leads. */
  #leadsUntil = 0;
  /** Whether a failure was logged, so that it is logged once and not at every attempt. */
  #isTroubled = false;
  #wake: () => void = () => undefined;

  constructor(options: LeaderElectionOptions) {
    const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryMs = 2_000 } = options;
    if (!(retryMs < renewDeadlineMs && renewDeadlineMs < leaseDurationMs)) {
      throw new Error(
        `Cannot elect a leader: ${retryMs} ms to retry, ${renewDeadlineMs} ms to renew and ${leaseDurationMs} ms of lease do not ascend`,
      );
    }
    this.name = `leader election ${options.lease.name}`;
    this.#options = options;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#retryMs = retryMs;
    this.#log = options.log.child({ lease: options.lease.name, identity: options.identity });
    this.#hold = new LeaseHold({ ...options, leaseDurationMs });
  }

  /** Whether this candidate leads, exact even when timers are late: for a check before critical work. */
  get isLeading(): boolean {
    return this.#options.clock.monotonic() < this.#leadsUntil;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!(await this.#campaign(signal))) return;
      if (await this.#lead(signal)) return;
    }
  }

  /** Campaigns for the lease; returns whether it was won, rather than aborted. */
  async #campaign(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    const won = new AbortController();
    const listening = this.#hold.listen(AbortSignal.any([signal, won.signal]), () => this.#wake());
    try {
      while (!signal.aborted) {
        if (await this.#renew(signal)) return true;
        const woken = new AbortController();
        this.#wake = () => woken.abort();
        const wait = this.#retryMs * (1 + random.fraction());
        await pause(clock, wait, AbortSignal.any([signal, woken.signal]));
      }
      return false;
    } finally {
      won.abort();
      await listening;
    }
  }

  /** Leads; returns whether the work ended by itself. */
  async #lead(signal: AbortSignal): Promise<boolean> {
    const { metrics, lease } = this.#options;
    const status = metrics && clientMetrics(metrics).leading.with(lease.name);
    const lost = new AbortController();
    const stop = AbortSignal.any([signal, lost.signal]);
    this.#log.info("Leading");
    status?.set(1);
    const renewing = this.#keepRenewing(lost, signal);
    try {
      await this.#options.lead(stop);
      return !stop.aborted;
    } catch (error) {
      if (!stop.aborted) throw error;
      return false;
    } finally {
      const wasLost = lost.signal.aborted;
      lost.abort();
      await renewing;
      this.#leadsUntil = 0;
      status?.set(0);
      this.#log.info(wasLost ? "Leading no longer" : "Stepping down");
      if (!wasLost) await this.#hold.release();
    }
  }

  /** Renews the lease until it is lost, or the signal aborts. */
  async #keepRenewing(lost: AbortController, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const stop = AbortSignal.any([signal, lost.signal]);
    const giveUp = () => lost.abort(new Error("Cannot go on leading: the lease is lost"));
    let timer = clock.setTimer(this.#leadsUntil - clock.monotonic(), giveUp);
    while (!stop.aborted) {
      await pause(clock, this.#retryMs, stop);
      if (stop.aborted) break;
      if (await this.#renew(stop)) {
        timer.cancel();
        timer = clock.setTimer(this.#leadsUntil - clock.monotonic(), giveUp);
      } else if (this.#hold.isForeign) giveUp();
    }
    timer.cancel();
  }

  async #renew(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const asked = clock.monotonic();
    try {
      if (!(await this.#hold.take({ signal, timeoutMs: this.#renewDeadlineMs / 2 }))) return false;
    } catch (error) {
      if (!signal.aborted && !this.#isTroubled) this.#log.warn("Cannot write the lease", { error });
      this.#isTroubled = true;
      return false;
    }
    this.#isTroubled = false;
    this.#leadsUntil = asked + this.#renewDeadlineMs;
    return this.isLeading;
  }
}

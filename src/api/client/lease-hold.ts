// A Lease from the view of one of its candidates.

import { type Clock, pause } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import { microTimestamp } from "../fields/timestamp.ts";
import type { Lease, LeaseSpec } from "../types/coordination.ts";
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from "./errors.ts";
import { named } from "./field-selectors.ts";
import type { Place } from "./objects.ts";
import type { CallOptions } from "./options.ts";
import type { ResourceClient } from "./resource-client.ts";

export interface LeaseHoldOptions {
  readonly leases: ResourceClient<Lease>;
  readonly lease: Place<Lease>;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const listenAgainMs = 5_000;
const releaseTimeoutMs = 5_000;

export class LeaseHold {
  readonly #options: LeaseHoldOptions;
  #observed: Lease | undefined;
  /** The monotonic time at which the observed lease was first seen. */
  #observedAt = 0;

  constructor(options: LeaseHoldOptions) {
    this.#options = options;
  }

  /** Whether another candidate holds the lease, as far as is known. */
  get isForeign(): boolean {
    const holder = this.#observed?.spec.holderIdentity;
    return holder !== undefined && holder !== "" && holder !== this.#options.identity;
  }

  /** Acquires or renews the lease. Resolves to whether it is ours now. */
  async take(call: CallOptions): Promise<boolean> {
    const { leases, lease } = this.#options;
    // The version that we wrote last is usually still current, so it is tried first.
    if (this.#isOurs && (await this.#claim(call))) return true;
    try {
      this.#observe(await leases.get(lease, call));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return await this.#create(call);
    }
    return !this.#mustWait() && (await this.#claim(call));
  }

  /** Releases the lease, so that the next candidate can acquire it at once. */
  async release(): Promise<void> {
    const { leases, log } = this.#options;
    const observed = this.#observed;
    if (observed === undefined || !this.#isOurs) return;
    const { holderIdentity: _, ...spec } = observed.spec;
    try {
      const released = { ...observed, spec: { ...spec, renewTime: this.#time() } };
      this.#observe(await leases.update(released, { timeoutMs: releaseTimeoutMs }));
    } catch (error) {
      log.warn("Cannot release the lease; it runs out by itself", { error });
    }
  }

  /** Calls `onFree` when the lease is released, until the signal aborts. */
  async listen(signal: AbortSignal, onFree: () => void): Promise<void> {
    const { leases, lease, clock, log } = this.#options;
    const selection = { namespace: lease.namespace, ...named(lease.name) };
    while (!signal.aborted) {
      try {
        for await (const event of await leases.watch({ ...selection, signal })) {
          if (event.type === "BOOKMARK") continue;
          if (event.type === "DELETED" || !event.object.spec.holderIdentity) onFree();
        }
      } catch (error) {
        if (signal.aborted) return;
        // The lease is polled as well: the watch is only quicker.
        log.debug("Cannot watch the lease", { error });
        if (isForbidden(error)) return;
      }
      await pause(clock, listenAgainMs, signal);
    }
  }

  get #isOurs(): boolean {
    return this.#observed?.spec.holderIdentity === this.#options.identity;
  }

  #mustWait(): boolean {
    const { clock, leaseDurationMs } = this.#options;
    if (!this.isForeign) return false;
    const promisedMs = 1000 * (this.#observed?.spec.leaseDurationSeconds ?? 0);
    return clock.monotonic() < this.#observedAt + Math.max(leaseDurationMs, promisedMs);
  }

  /** Writes our identity into the lease, on top of the version observed. */
  async #claim(call: CallOptions): Promise<boolean> {
    const observed = this.#observed;
    if (observed === undefined) return false;
    try {
      const claimed = { ...observed, spec: { ...observed.spec, ...this.#terms() } };
      this.#observe(await this.#options.leases.update(claimed, call));
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  async #create(call: CallOptions): Promise<boolean> {
    const { leases, lease } = this.#options;
    const { namespace, name } = lease;
    try {
      this.#observed = undefined;
      this.#observe(
        await leases.create({ metadata: { namespace, name }, spec: this.#terms() }, call),
      );
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  #terms(): LeaseSpec {
    const { identity, leaseDurationMs } = this.#options;
    const now = this.#time();
    const { acquireTime = now, leaseTransitions = 0 } = this.#observed?.spec ?? {};
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      renewTime: now,
      acquireTime: this.#isOurs ? acquireTime : now,
      leaseTransitions:
        this.#isOurs || this.#observed === undefined ? leaseTransitions : leaseTransitions + 1,
    };
  }

  #observe(lease: Lease): void {
    if (lease.metadata.resourceVersion !== this.#observed?.metadata.resourceVersion) {
      this.#observedAt = this.#options.clock.monotonic();
    }
    this.#observed = lease;
  }

  /** The time in the format of Leases, with microseconds. */
  #time(): string {
    return microTimestamp(this.#options.clock.now());
  }
}

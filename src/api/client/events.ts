// Records what happened to an object, as Events that `kubectl describe` shows. Nothing waits for them, and
// under pressure they are dropped: they are remarks, not state.

import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import { defined } from "../../base/json/defined.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { timestamp } from "../fields/timestamp.ts";
import type { Event, ObjectReference } from "../types/core.ts";
import { isNotFound, isTimeout, isTooManyRequests, isUnavailable } from "./errors.ts";
import { clientMetrics } from "./metrics.ts";
import type { ApiObject } from "./objects.ts";
import type { ResourceClient } from "./resource-client.ts";
import { WorkQueue } from "./work-queue.ts";

export interface EventRecorderOptions {
  readonly events: ResourceClient<Event>;
  /** The reporting component, e.g. `tandem-scheduler`. */
  readonly component: string;
  /** The node that the component runs on, if that matters. */
  readonly host?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
}

export interface Remark {
  readonly type: "Normal" | "Warning";
  /** The reason in one word in camel case, for machines. */
  readonly reason: string;
  /** The message, a sentence for people. */
  readonly message: string;
}

/** The number of different remarks that are remembered, so that a repetition only increments a count. */
const maximumKnown = 2_000;
const forgetAfterMs = 600_000;
const maximumAttempts = 5;
/** The rate limit per object: how many new remarks pass at once, and how soon another may follow. */
const burst = 25;
const refillMs = 10_000;
const maximumMessage = 1_024;

interface Known {
  readonly reference: ObjectReference;
  readonly remark: Remark;
  readonly first: number;
  last: number;
  count: number;
  /** The count that the server has: 0 before the event is created. */
  told: number;
  name: string;
  attempts: number;
}

export class EventRecorder {
  readonly name = "events";
  readonly #options: EventRecorderOptions;
  readonly #queue: WorkQueue;
  /** The remarks, least recently used first. */
  readonly #known = new Map<string, Known>();
  /** The time at which an object's rate limit is fully restored, by object, least recently used first. */
  readonly #quiet = new Map<string, number>();
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    const { clock, random, metrics } = options;
    this.#options = options;
    this.#queue = new WorkQueue({ name: this.name, clock, random, metrics });
  }

  /** The number of remarks that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  record(object: ApiObject, remark: Remark): void {
    const { apiVersion, kind, metadata } = object;
    const { namespace, name, uid, resourceVersion } = metadata;
    const { type, reason, message } = remark;
    const key = JSON.stringify([apiVersion, kind, namespace, name, uid, type, reason, message]);
    const now = this.#options.clock.now();
    const before = this.#known.get(key);
    this.#known.delete(key);
    if (before !== undefined && now - before.last < forgetAfterMs) {
      before.count += 1;
      before.last = now;
      this.#known.set(key, before);
    } else if (this.#mayTalk(JSON.stringify([kind, namespace, name])) && this.#makeRoom()) {
      const reference = {
        apiVersion,
        kind,
        name,
        ...defined({ namespace, uid, resourceVersion }),
      };
      const known = { reference, remark, first: now, last: now, count: 1, told: 0, attempts: 0 };
      this.#known.set(key, { ...known, name: this.#newName(name) });
    } else {
      this.#drop();
      return;
    }
    this.#queue.add(key);
  }

  /** Resolves when all remarks recorded so far have been sent or dropped. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run((key) => this.#send(key, signal), { signal, concurrency: 2 });
  }

  async #send(key: string, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(key);
    if (known === undefined || known.told === known.count) return;
    const { count } = known;
    try {
      await this.#tell(known, signal);
      known.told = count;
      known.attempts = 0;
    } catch (error) {
      known.attempts += 1;
      const isPassing = isUnavailable(error) || isTimeout(error) || isTooManyRequests(error);
      if (isPassing && known.attempts < maximumAttempts) throw error;
      this.#known.delete(key);
      this.#drop();
      this.#options.log.debug("Cannot record an event", { error });
    }
  }

  async #tell(known: Known, signal: AbortSignal): Promise<void> {
    const { events } = this.#options;
    const event = this.#eventOf(known);
    if (known.told > 0) {
      const { count, lastTimestamp } = event;
      const merge = { count: count ?? 1, lastTimestamp: lastTimestamp ?? "" };
      try {
        await events.patch(event.metadata, { merge }, { signal });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // The server deletes events after a while.
        known.name = this.#newName(known.reference.name ?? "");
      }
    }
    await events.create(this.#eventOf(known), { signal });
  }

  #eventOf(known: Known): Event {
    const { component, host } = this.#options;
    const { reference, remark, first, last, count, name } = known;
    const { type, reason, message } = remark;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace: reference.namespace ?? "default" },
      involvedObject: reference,
      type,
      reason,
      message:
        message.length > maximumMessage ? `${message.slice(0, maximumMessage - 1)}…` : message,
      source: { component, ...defined({ host }) },
      reportingComponent: component,
      reportingInstance: host ?? "",
      firstTimestamp: timestamp(first),
      lastTimestamp: timestamp(last),
      count,
    };
  }

  #mayTalk(object: string): boolean {
    const now = this.#options.clock.now();
    const quiet = Math.max(now, this.#quiet.get(object) ?? 0) + refillMs;
    if (quiet - now > burst * refillMs) return false;
    this.#quiet.delete(object);
    this.#quiet.set(object, quiet);
    if (this.#quiet.size > maximumKnown) this.#quiet.delete(this.#quiet.keys().next().value ?? "");
    return true;
  }

  /** Makes room by forgetting the least recently repeated remark, unless it is still to be sent. */
  #makeRoom(): boolean {
    if (this.#known.size < maximumKnown) return true;
    for (const [key, { told, count }] of this.#known) {
      if (told < count) return false;
      this.#known.delete(key);
      return true;
    }
    return true;
  }

  #newName(object: string): string {
    const suffix = Buffer.from(this.#options.random.bytes(8)).toString("hex");
    return `${object.slice(0, 230)}.${suffix}`;
  }

  #drop(): void {
    this.#dropped += 1;
    const { metrics } = this.#options;
    if (metrics !== undefined) clientMetrics(metrics).eventsDropped.increment();
  }
}

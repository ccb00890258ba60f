// API priority and fairness: every request takes seats of a priority level, levels cannot take each other's
// guaranteed seats, and within a level flows are served in turn. So a client that sends too much delays only
// itself, and nodes and controllers are served as usual.
import type { FlowSchema, PriorityLevelConfiguration } from "../../../api/types/flowcontrol.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import type { Attributes, User } from "../access.ts";
import type { Cache } from "../cache/cache.ts";
import type { Collection } from "../cache/collection.ts";
import type { Item } from "../cache/item.ts";
import { tooManyRequests } from "../errors.ts";
import { collectionId } from "../keys.ts";
import { Level } from "./level.ts";
import { distinguish, inOrder, matches } from "./match.ts";
import { type FlowMetrics, flowMetrics } from "./metrics.ts";
import type { Queue, Ticket } from "./queue-set.ts";

const group = "flowcontrol.apiserver.k8s.io";

export interface FlowControlOptions {
  readonly cache: Cache;
  readonly metrics: Registry;
  /** The number of seats in all. */
  readonly seats: number;
  readonly longestWaitMs?: number;
}

const defaultWaitMs = 15_000;

/** The default number of seats: Kubernetes has 400 for reading and 200 for writing requests. */
export const usualSeats = 600;

export interface Request {
  readonly user: User;
  readonly attributes: Attributes;
  readonly seats: number;
}

export interface Admitted {
  readonly schema: FlowSchema | undefined;
  readonly level: PriorityLevelConfiguration | undefined;
  readonly isExempt: boolean;
  /** Returns the seats; must be called when the request is over. */
  readonly leave: () => void;
}

export class FlowControl {
  readonly #options: FlowControlOptions;
  readonly #metrics: FlowMetrics;
  readonly #levels = new Map<string, Level>();
  #schemas: FlowSchema[] = [];
  #seen = "";

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.#metrics = flowMetrics(options.metrics, this.#levels);
  }

  /** Resolves when the request may be served; throws 429 when it may not. */
  async admit(request: Request): Promise<Admitted> {
    this.#refresh();
    const { user, attributes } = request;
    const schema = this.#schemas.find((each) => matches(each, user, attributes));
    const level = schema && this.#levels.get(schema.spec.priorityLevelConfiguration.name);
    if (schema === undefined || level === undefined) {
      return { schema: undefined, level: undefined, isExempt: false, leave: () => undefined };
    }
    const flow = `${schema.metadata.name}\n${distinguish(schema, user, attributes)}`;
    const names = { level: level.config.metadata.name, schema: schema.metadata.name };
    const queue = await this.#seat(level, { flow, seats: request.seats, names });
    this.#metrics.dispatched(names);
    const { isExempt } = level;
    const leave = this.#leaving(level, { queue, seats: request.seats });
    return { schema, level: level.config, isExempt, leave };
  }

  async #seat(
    level: Level,
    wish: { flow: string; seats: number; names: { level: string; schema: string } },
  ): Promise<Queue | undefined> {
    const { flow, seats, names } = wish;
    const { queues } = level;
    if (level.isExempt) {
      level.take(seats);
      return undefined;
    }
    if (level.waiting === 0 && this.#hasSeats(level, seats)) {
      level.take(seats);
      const queue = queues?.queueOf(flow);
      if (queue !== undefined) queues?.charge(queue, seats);
      return queue;
    }
    if (queues === undefined) throw this.#rejected(names, "concurrency-limit");
    return await new Promise<Queue>((resolve, reject) => {
      const ticket: Ticket = {
        seats,
        start: (queue) => {
          clearTimeout(timer);
          level.take(seats);
          resolve(queue);
        },
      };
      const timer = setTimeout(() => {
        queues.remove(ticket);
        reject(this.#rejected(names, "time-out"));
      }, this.#options.longestWaitMs ?? defaultWaitMs);
      if (queues.add(flow, ticket)) return;
      clearTimeout(timer);
      reject(this.#rejected(names, "queue-full"));
    });
  }

  #leaving(level: Level, { queue, seats }: { queue: Queue | undefined; seats: number }) {
    const started = performance.now();
    const { queues } = level;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      level.give(seats);
      if (queue !== undefined) queues?.settle(queue, seats, performance.now() - started);
      for (const each of this.#levels.values()) this.#dispatch(each);
    };
  }

  #dispatch(level: Level): void {
    const { queues } = level;
    if (queues === undefined || queues.waiting === 0) return;
    while (queues.dispatch((seats) => this.#hasSeats(level, seats))) {
      // The loop ends when no waiting request finds a seat.
    }
  }

  /** Returns whether a level has seats: its own are always available, others' while they lend them. */
  #hasSeats(level: Level, seats: number): boolean {
    const { nominal, borrowable } = level.limits;
    // A request that takes more seats than there are runs alone.
    if (level.inUse === 0 || level.inUse + seats <= nominal) return true;
    if (level.inUse + seats > nominal + borrowable) return false;
    let lent = 0;
    let idle = 0;
    for (const each of this.#levels.values()) {
      lent += each.borrowed;
      if (each !== level) idle += each.idleLendable;
    }
    return lent + seats <= idle;
  }

  #rejected(names: { level: string; schema: string }, reason: string): Error {
    this.#metrics.rejected(names, reason);
    return tooManyRequests("Too many requests, please try again later.", 1);
  }

  #refresh(): void {
    const { cache } = this.#options;
    const schemas = cache.collection(collectionId(group, "flowschemas"));
    const levels = cache.collection(collectionId(group, "prioritylevelconfigurations"));
    const seen = `${schemas.version} ${levels.version}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    const configs = read<PriorityLevelConfiguration>(levels);
    const names = new Set(configs.map(({ metadata }) => metadata.name));
    // A schema that names no level is passed over: its requests would be limited by nothing.
    const found = read<FlowSchema>(schemas).filter(({ spec }) =>
      names.has(spec.priorityLevelConfiguration.name),
    );
    this.#schemas = inOrder(found);
    for (const [name, level] of this.#levels) {
      if (!names.has(name) && level.executing === 0 && level.waiting === 0) {
        this.#levels.delete(name);
      }
    }
    for (const config of configs) {
      const level = this.#levels.get(config.metadata.name) ?? new Level(config);
      level.configure(config);
      this.#levels.set(config.metadata.name, level);
    }
    this.#share();
  }

  /** Distributes the seats in proportion to shares. */
  #share(): void {
    const levels = [...this.#levels.values()];
    const total = levels.reduce((sum, { config }) => sum + sharesOf(config), 0) || 1;
    for (const level of levels) {
      const { limited, exempt } = level.config.spec;
      const nominal = Math.ceil((this.#options.seats * sharesOf(level.config)) / total);
      const percent = limited?.lendablePercent ?? exempt?.lendablePercent ?? 0;
      const borrowing = limited?.borrowingLimitPercent;
      level.limits = {
        nominal,
        lendable: Math.round((nominal * percent) / 100),
        borrowable:
          borrowing === undefined
            ? Number.POSITIVE_INFINITY
            : Math.round((nominal * borrowing) / 100),
      };
    }
  }
}

function sharesOf({ spec }: PriorityLevelConfiguration): number {
  return spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares ?? 0;
}

function read<Object>(collection: Collection): Object[] {
  return collection.list().map((item: Item) => item.parse() as Object);
}

// One priority level: the seats its requests take, and the requests that wait.
import type { PriorityLevelConfiguration } from "../../../api/types/flowcontrol.ts";
import { QueueSet } from "./queue-set.ts";

export interface LevelLimits {
  readonly nominal: number;
  /** The number of seats that other levels may have while this one does not need them. */
  readonly lendable: number;
  /** The number of seats that may be borrowed from other levels. */
  readonly borrowable: number;
}

export class Level {
  config: PriorityLevelConfiguration;
  limits: LevelLimits = { nominal: 1, lendable: 0, borrowable: 0 };
  inUse = 0;
  executing = 0;
  #queues: QueueSet | undefined;
  #shape = "";

  constructor(config: PriorityLevelConfiguration) {
    this.config = config;
  }

  get isExempt(): boolean {
    return this.config.spec.type === "Exempt";
  }

  get queues(): QueueSet | undefined {
    return this.#queues;
  }

  get waiting(): number {
    return this.#queues?.waiting ?? 0;
  }

  /** Applies another configuration; waiting requests stay where they are unless the queues change. */
  configure(config: PriorityLevelConfiguration): void {
    this.config = config;
    const response = config.spec.limited?.limitResponse;
    const queuing = response?.type === "Queue" ? response.queuing : undefined;
    const shape = JSON.stringify(queuing ?? null);
    if (shape === this.#shape && this.#queues !== undefined) return;
    this.#shape = shape;
    this.#queues =
      queuing &&
      new QueueSet({
        queues: queuing.queues ?? 64,
        handSize: queuing.handSize ?? 8,
        lengthLimit: queuing.queueLengthLimit ?? 50,
      });
  }

  /** The number of seats that other levels may have now. */
  get idleLendable(): number {
    return Math.max(0, Math.min(this.limits.lendable, this.limits.nominal - this.inUse));
  }

  get borrowed(): number {
    return Math.max(0, this.inUse - this.limits.nominal);
  }

  take(seats: number): void {
    this.inUse += seats;
    this.executing++;
  }

  give(seats: number): void {
    this.inUse -= seats;
    this.executing--;
  }
}

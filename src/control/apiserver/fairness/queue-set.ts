// The queues of one priority level (shuffle sharding). A flow is dealt a hand of queues and waits in the
// shortest of them, so that a busy client fills few queues; the queue that was served least is next.
import { createHash } from "node:crypto";

export interface QueueSettings {
  readonly queues: number;
  readonly handSize: number;
  readonly lengthLimit: number;
}

export interface Ticket {
  readonly seats: number;
  /** Starts the request when it has a seat. */
  readonly start: (queue: Queue) => void;
}

export interface Queue {
  readonly waiting: Ticket[];
  executing: number;
  /** The seat-milliseconds the queue has had, as far as they are known. */
  served: number;
}

/** The assumed duration of a request until it is known. */
const guessMs = 5;

export class QueueSet {
  readonly #queues: Queue[];
  readonly #settings: QueueSettings;
  readonly #hands = new Map<string, readonly number[]>();
  #waiting = 0;
  /** The `served` value of the last queue served, where idle queues start: being idle earns no seats. */
  #virtualTime = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
    this.#queues = Array.from({ length: Math.min(settings.queues, 4096) }, () => ({
      waiting: [],
      executing: 0,
      served: 0,
    }));
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Adds a ticket; returns false when there is no room for one more of the flow. */
  add(flow: string, ticket: Ticket): boolean {
    const queue = this.#shortest(flow);
    if (queue.waiting.length >= this.#settings.lengthLimit) return false;
    if (queue.waiting.length === 0 && queue.executing === 0) {
      queue.served = Math.max(queue.served, this.#virtualTime);
    }
    queue.waiting.push(ticket);
    this.#waiting++;
    return true;
  }

  /** Removes a ticket that waits no longer. */
  remove(ticket: Ticket): void {
    for (const { waiting } of this.#queues) {
      const index = waiting.indexOf(ticket);
      if (index < 0) continue;
      waiting.splice(index, 1);
      this.#waiting--;
      return;
    }
  }

  /** Starts the next waiting request, if there is a seat for it; returns whether it did. */
  dispatch(hasSeats: (seats: number) => boolean): boolean {
    let next: Queue | undefined;
    for (const queue of this.#queues) {
      if (queue.waiting.length === 0) continue;
      if (next === undefined || queue.served < next.served) next = queue;
    }
    const ticket = next?.waiting[0];
    if (next === undefined || ticket === undefined || !hasSeats(ticket.seats)) return false;
    next.waiting.shift();
    this.#waiting--;
    this.#virtualTime = Math.max(this.#virtualTime, next.served);
    this.charge(next, ticket.seats);
    ticket.start(next);
    return true;
  }

  charge(queue: Queue, seats: number): void {
    queue.executing++;
    queue.served += seats * guessMs;
  }

  /** Replaces the assumed duration of a request by the real one. */
  settle(queue: Queue, seats: number, tookMs: number): void {
    queue.executing--;
    queue.served += seats * (tookMs - guessMs);
  }

  /** Returns the queue that a request is charged to when it need not wait. */
  queueOf(flow: string): Queue {
    return this.#shortest(flow);
  }

  #shortest(flow: string): Queue {
    let best: Queue | undefined;
    for (const index of this.#hand(flow)) {
      const queue = this.#queues[index] as Queue;
      if (best === undefined || load(queue) < load(best)) best = queue;
    }
    return best as Queue;
  }

  #hand(flow: string): readonly number[] {
    const known = this.#hands.get(flow);
    if (known !== undefined) return known;
    // The hands are forgotten now and then, since clients could make up any number of flows.
    if (this.#hands.size > 10_000) this.#hands.clear();
    const dealt = deal(flow, this.#queues.length, this.#settings.handSize);
    this.#hands.set(flow, dealt);
    return dealt;
  }
}

function load({ waiting, executing }: Queue): number {
  return waiting.length + executing;
}

/** Deals a hand: distinct cards of a deck, the same ones for the same flow. */
export function deal(flow: string, deckSize: number, handSize: number): number[] {
  let hash = createHash("sha256").update(flow).digest().readBigUInt64BE() & 0x0fff_ffff_ffff_ffffn;
  const hand: number[] = [];
  for (let card = 0; card < Math.min(handSize, deckSize); card++) {
    const rest = BigInt(deckSize - card);
    let pick = Number(hash % rest);
    hash /= rest;
    for (const taken of hand.toSorted((a, b) => a - b)) if (taken <= pick) pick++;
    hand.push(pick);
  }
  return hand;
}

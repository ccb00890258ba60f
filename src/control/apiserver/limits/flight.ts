// Limits of ordinary requests: how many a client may have under way, and how long one may take.
import { aborted } from "../aborted.ts";
import { timeout, tooManyRequests } from "../errors.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { sendError } from "../http/respond.ts";

export interface FlightLimits {
  readonly perClient: number;
  readonly inAll: number;
  readonly seconds: number;
}

export const defaultLimits: FlightLimits = { perClient: 1000, inAll: 20_000, seconds: 60 };

interface Flight {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly deadline: number;
}

export class FlightControl {
  readonly #limits: FlightLimits;
  readonly #clients = new Map<string, number>();
  /** The requests under way in order of arrival, so that overdue ones come first. */
  readonly #flights = new Set<Flight>();

  constructor(limits: FlightLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#flights.size;
  }

  /** Starts a request; throws when the client has too many. The function returned ends it. */
  start(
    client: string,
    exchange: { request: HttpRequest; response: HttpResponse },
    isExempt = false,
  ): Landing {
    const count = this.#clients.get(client) ?? 0;
    const isTooMany = count >= this.#limits.perClient || this.#flights.size >= this.#limits.inAll;
    if (isTooMany && !isExempt) {
      throw tooManyRequests("Too many requests, please try again later.", 1);
    }
    this.#clients.set(client, count + 1);
    const { request, response } = exchange;
    const flight = { request, response, deadline: Date.now() + 1000 * this.#limits.seconds };
    this.#flights.add(flight);
    return () => {
      if (!this.#flights.delete(flight)) return;
      const rest = (this.#clients.get(client) ?? 1) - 1;
      if (rest === 0) this.#clients.delete(client);
      else this.#clients.set(client, rest);
    };
  }

  /** Answers requests that have taken too long, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const timer = setInterval(() => this.#endOverdue(), 1000);
    await aborted(signal);
    clearInterval(timer);
  }

  #endOverdue(): void {
    const now = Date.now();
    for (const flight of this.#flights) {
      if (flight.deadline > now) return;
      // A client that does not read its answer would keep its seat and the answer's memory.
      if (flight.response.headersSent) {
        flight.response.destroy();
        continue;
      }
      const message = `request did not complete within ${this.#limits.seconds}s`;
      sendError(flight, timeout(message));
    }
  }
}

export type Landing = () => void;

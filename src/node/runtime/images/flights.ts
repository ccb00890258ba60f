import type { CallOptions } from "../../../base/host/command.ts";

/** Shares work between callers with the same key; it is aborted when all of them have given up. */
export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  join(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    { signal }: CallOptions = {},
  ): Promise<T> {
    signal?.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#begin(key, work);
    flight.waiting++;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const leave = (): void => {
      if (--flight.waiting === 0) flight.abandoned.abort(signal?.reason);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", leave, { once: true });
    return Promise.race([flight.result, aborted]).finally(() =>
      signal?.removeEventListener("abort", leave),
    );
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abandoned = new AbortController();
    const result = work(abandoned.signal).finally(() => this.#flights.delete(key));
    const flight = { result, abandoned, waiting: 0 };
    this.#flights.set(key, flight);
    return flight;
  }
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly abandoned: AbortController;
  waiting: number;
}

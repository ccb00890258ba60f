// Rates of use, from two samples.

import type { Clock } from "../../base/host/clock.ts";
import { type Sample, type StatsOptions, takeSample } from "./samples.ts";

export interface Usage {
  readonly sample: Sample;
  /** The time that rates are about. */
  readonly windowMs: number;
  /** The processors that the node used in that time, in billionths. */
  readonly nodeNanoCores: number;
  /** The same of each container, by its id. */
  readonly nanoCores: ReadonlyMap<string, number>;
}

/** The shortest time that says something about a rate, and the longest that still says something about now. */
const [shortestMs, longestMs] = [1_000, 60_000];

export class UsageMeter {
  readonly #options: StatsOptions & { readonly clock: Clock };
  #before: Sample | undefined;
  #measuring: Promise<Usage> | undefined;

  constructor(options: StatsOptions & { readonly clock: Clock }) {
    this.#options = options;
  }

  /** Measures the use since the last time, or within a second; callers at the same time share the result. */
  measure(): Promise<Usage> {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #measure(): Promise<Usage> {
    const { clock } = this.#options;
    let before = this.#before;
    if (before === undefined || this.#options.now() - before.at > longestMs) {
      before = await takeSample(this.#options);
    }
    const wait = before.at + shortestMs - this.#options.now();
    const waited = Promise.withResolvers<void>();
    clock.setTimer(Math.max(0, wait), waited.resolve);
    await waited.promise;
    const sample = await takeSample(this.#options);
    this.#before = sample;
    return usageBetween(before, sample);
  }
}

export function usageBetween(before: Sample, sample: Sample): Usage {
  const windowMs = Math.max(1, sample.at - before.at);
  const rate = (from: bigint, to: bigint) =>
    Math.max(0, Math.round(Number(to - from) / (windowMs / 1_000)));
  const earlier = new Map(
    before.pods.flatMap(({ containers }) =>
      containers.map(({ state, usage }) => [state.id, usage.cpuNanos] as const),
    ),
  );
  const nanoCores = new Map<string, number>();
  for (const { containers } of sample.pods) {
    for (const { state, usage } of containers) {
      // A container that was not there before has used all of its time since.
      nanoCores.set(state.id, rate(earlier.get(state.id) ?? 0n, usage.cpuNanos));
    }
  }
  const nodeNanoCores = rate(before.machine.cpuNanos, sample.machine.cpuNanos);
  return { sample, windowMs, nodeNanoCores, nanoCores };
}

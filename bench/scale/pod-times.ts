// When pods were bound and became ready, as a client sees it.

import type { Client } from "../../src/api/client/client.ts";
import { Informer } from "../../src/api/client/informer.ts";
import type { Pod } from "../../src/api/types/core.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { createStreamLog } from "../../src/base/program/log.ts";

interface Times {
  created: number;
  bound?: number;
  ready?: number;
}

export class PodTimes implements AsyncDisposable {
  readonly #times = new Map<string, Times>();
  readonly #informer: Informer<Pod>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #changed = Promise.withResolvers<void>();

  constructor(client: Client, namespace: string) {
    const log = createStreamLog(process.stderr, { logLevel: "error", logFormat: "text" });
    const settings = { clock: systemClock, random: systemRandom, log };
    this.#informer = new Informer(client.resource("v1", "Pod"), { namespace }, settings);
    this.#informer.subscribe((key) => this.#note(key));
    this.#running = this.#informer.run(this.#stop.signal);
  }

  get synced(): Promise<void> {
    return this.#informer.synced;
  }

  get count(): number {
    return this.#informer.size;
  }

  get readyCount(): number {
    return [...this.#informer.list()].filter(isReady).length;
  }

  created(name: string): void {
    this.#times.set(name, { created: performance.now() });
  }

  /** Resolves when the predicate holds; rejects when that takes too long. */
  async until(isSo: () => boolean, limitMs = 300_000): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!isSo()) {
      const left = deadline - performance.now();
      if (left <= 0) {
        const state = `${this.count} pods, ${this.readyCount} of them ready`;
        throw new Error(`Cannot wait any longer for pods: ${state}`);
      }
      await Promise.race([this.#changed.promise, systemClock.sleep(Math.min(left, 1_000))]);
    }
  }

  /** Returns the durations of pods that have come that far, in milliseconds, and forgets all. */
  take(): { readonly toBound: readonly number[]; readonly toReady: readonly number[] } {
    const all = [...this.#times.values()];
    this.#times.clear();
    return {
      toBound: all.flatMap(({ created, bound }) => (bound === undefined ? [] : bound - created)),
      toReady: all.flatMap(({ bound, ready }) =>
        bound === undefined || ready === undefined ? [] : ready - bound,
      ),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #note(key: string): void {
    const pod = this.#informer.get(key);
    const times = pod && this.#times.get(pod.metadata.name);
    if (times !== undefined && pod !== undefined) {
      if (pod.spec.nodeName !== undefined) times.bound ??= performance.now();
      if (isReady(pod)) times.ready ??= performance.now();
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some((each) => each.type === "Ready" && each.status === "True");
}

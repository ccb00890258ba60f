// Containers that are nothing but states: they run until they are stopped, or until their time is over.

import { Readable } from "node:stream";
import type { Clock, Timer } from "../../base/host/clock.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type {
  ContainerLabels,
  ContainerSession,
  ContainerSpec,
  ContainerState,
  Containers,
} from "../../node/runtime/runtime.ts";

interface Options {
  readonly clock: Clock;
  /** Returns after how long a container ends by itself, with success; undefined if it does not. */
  readonly endsAfter: (labels: ContainerLabels) => number | undefined;
}

interface Entry {
  state: ContainerState;
  readonly ended: PromiseWithResolvers<ContainerState>;
  timer?: Timer;
}

/** The exit code of a container that a signal ended, as shells count. */
const codes: Readonly<Record<string, number>> = { SIGKILL: 137, SIGTERM: 143 };

export class HollowContainers implements Containers {
  readonly #options: Options;
  readonly #entries = new Map<string, Entry>();

  constructor(options: Options) {
    this.#options = options;
  }

  async start({ id, labels, image, logPath }: ContainerSpec): Promise<ContainerState> {
    const { clock, endsAfter } = this.#options;
    const startedAt = new Date(clock.now());
    const state: ContainerState = { id, labels, image, logPath, status: "running", startedAt };
    const entry: Entry = { state, ended: Promise.withResolvers() };
    this.#entries.set(id, entry);
    const afterMs = endsAfter(labels);
    if (afterMs !== undefined) entry.timer = clock.setTimer(afterMs, () => this.#end(entry, 0));
    return state;
  }

  async list(): Promise<readonly ContainerState[]> {
    return [...this.#entries.values()].map(({ state }) => state);
  }

  async get(id: string): Promise<ContainerState | undefined> {
    return this.#entries.get(id)?.state;
  }

  async exited(id: string, { signal }: CallOptions = {}): Promise<ContainerState> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new Error(`Cannot await the end of ${id}: it is not there`);
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(signal?.reason as Error);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await Promise.race([entry.ended.promise, promise]);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  async resize(): Promise<void> {
    // There are no cgroups: what was granted is all there is to know.
  }

  async kill(id: string, signal: NodeJS.Signals): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#end(entry, codes[signal] ?? 128);
  }

  async remove(id: string): Promise<void> {
    await this.kill(id, "SIGKILL");
    this.#entries.delete(id);
  }

  /** Runs a command of a probe or hook, which succeeds. */
  async exec(): Promise<ContainerSession> {
    const resize = () => Promise.resolve();
    return { stdout: Readable.from([]), exited: Promise.resolve(0), resize };
  }

  attach(id: string): Promise<ContainerSession> {
    return Promise.reject(new Error(`Cannot attach to ${id}: a hollow node runs no programs`));
  }

  /** Ends all timers, for the end of the program. */
  close(): void {
    for (const { timer } of this.#entries.values()) timer?.cancel();
  }

  #end(entry: Entry, exitCode: number): void {
    if (entry.state.status !== "running") return;
    entry.timer?.cancel();
    const finishedAt = new Date(this.#options.clock.now());
    entry.state = { ...entry.state, status: "exited", finishedAt, exitCode };
    entry.ended.resolve(entry.state);
  }
}

// A pool of threads for heavy work. Users take turns, each may have a few jobs waiting, and a job that takes
// too long is terminated together with its thread.
import { internal, StatusError, unavailable } from "../errors.ts";
import type { Job, JobResult, RenderJob, WriteJob, Written } from "./job.ts";
import { type HeavyWork, longestWaitMs, tooManyLarge } from "./port.ts";
import { TurnQueue } from "./turn-queue.ts";
import { type WorkerOptions, WorkerThread } from "./worker-thread.system.ts";

export interface HeavyOptions extends WorkerOptions {
  readonly threads: number;
  /** The CPU time in milliseconds that a job may take. */
  readonly jobMs?: number;
}

const defaultJobMs = 5_000;
const waitingPerUser = 8;
const waitingInAll = 64;

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

export class HeavyPool implements HeavyWork {
  readonly #options: HeavyOptions;
  readonly #queue = new TurnQueue<Waiting>();
  readonly #idle: WorkerThread[] = [];
  readonly #threads = new Set<WorkerThread>();
  #isClosed = false;

  constructor(options: HeavyOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  checkRoom(user: string): void {
    const own = this.#queue.sizeOf(user);
    // One job of each user may always wait, or a few users could lock out all others.
    if (own >= waitingPerUser || (own > 0 && this.#queue.size >= waitingInAll)) {
      throw tooManyLarge();
    }
  }

  async write(job: WriteJob, warnings: string[]): Promise<Written> {
    const result = await this.#enqueue(job.user.name, job);
    if ("written" in result) return result.written;
    if ("refused" in result) warnings.push(...result.warnings);
    throw this.#failure(result);
  }

  async render(user: string, job: RenderJob): Promise<Buffer> {
    const result = await this.#enqueue(user, job);
    if (!("rendered" in result)) throw this.#failure(result);
    return Buffer.from(result.rendered.buffer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#queue.drain()) reject(unavailable("the server is stopping"));
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #failure(result: JobResult): unknown {
    if ("refused" in result) {
      const { reason, message, details, code, isFinal } = result.refused;
      const more = details === undefined ? {} : { details };
      return new StatusError(reason, message, { ...more, code, isFinal });
    }
    return internal(new Error("failed" in result ? result.failed : "there is no result"));
  }

  #enqueue(user: string, job: Job): Promise<JobResult> {
    if (this.#isClosed) return Promise.reject(unavailable("the server is stopping"));
    this.checkRoom(user);
    return new Promise((resolve, reject) => {
      const waiting = { job, resolve, reject };
      this.#queue.add(user, waiting);
      this.#next();
      setTimeout(() => {
        if (this.#queue.remove(user, waiting)) reject(tooManyLarge());
      }, longestWaitMs).unref();
    });
  }

  #next(): void {
    if (this.#queue.size === 0 || this.#isClosed) return;
    const thread = this.#idle.pop() ?? this.#start();
    if (thread === undefined) return;
    const next = this.#queue.take();
    if (next !== undefined) void this.#perform(thread, next);
  }

  async #perform(thread: WorkerThread, { job, resolve, reject }: Waiting): Promise<void> {
    let isHeld = true;
    // A thread whose job waits for a webhook takes another one meanwhile.
    const release = () => {
      if (!isHeld || !this.#threads.has(thread)) return;
      isHeld = false;
      this.#idle.push(thread);
      this.#next();
    };
    const limitMs = this.#options.jobMs ?? defaultJobMs;
    try {
      resolve(await thread.perform(job, { limitMs, onWaiting: release }));
    } catch (error) {
      this.#threads.delete(thread);
      const index = this.#idle.indexOf(thread);
      if (index >= 0) this.#idle.splice(index, 1);
      reject(error);
    }
    release();
    this.#next();
  }

  #start(): WorkerThread | undefined {
    if (this.#threads.size >= this.#options.threads) return undefined;
    const thread = new WorkerThread(this.#options);
    this.#threads.add(thread);
    return thread;
  }
}

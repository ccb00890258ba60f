// A pool of threads for heavy work. Users take turns, each may have a few jobs waiting, and a job that takes
// too long is terminated together with its thread.
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { ClusterSettings } from "../../../api/kinds/kind.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Cache } from "../cache/cache.ts";
import { internal, StatusError, tooManyRequests, tooMuchWork, unavailable } from "../errors.ts";
import type { GuardSettings } from "../security/open-guard.ts";
import {
  type Job,
  type JobResult,
  type Question,
  type RenderJob,
  ready,
  type ThreadData,
  type WriteJob,
  type Written,
} from "./job.ts";
import { answerQuestion } from "./remote-objects.ts";
import { TurnQueue } from "./turn-queue.ts";

export interface HeavyWork {
  /** Throws when the user has too many jobs waiting. */
  checkRoom(user: string): void;
  /** Plans a write. Throws the refusal of the write; `warnings` are filled even then. */
  write(job: WriteJob, warnings: string[]): Promise<Written>;
  render(user: string, job: RenderJob): Promise<Buffer>;
  close(): Promise<void>;
}

export interface HeavyOptions {
  readonly cache: Cache;
  readonly settings: ClusterSettings;
  readonly guard: GuardSettings;
  readonly log: Log;
  readonly threads: number;
  /** The CPU time in milliseconds that a job may take. */
  readonly jobMs?: number;
}

const defaultJobMs = 5_000;
/** The factor between the CPU time and the wall-clock time of a job, for machines that are busy otherwise. */
const patienceFactor = 6;
const inspectionMs = 500;
const waitingPerUser = 8;
const waitingInAll = 64;
/** The memory of a thread; a job that needs more is terminated. */
const threadMegabytes = 768;

/** The longest time a job waits; after that the client should retry. */
export const longestWaitMs = 10_000;

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

export class HeavyPool implements HeavyWork {
  readonly #options: HeavyOptions;
  readonly #queue = new TurnQueue<Waiting>();
  readonly #idle: Thread[] = [];
  readonly #threads = new Set<Thread>();
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
      const { reason, message, details } = result.refused;
      return new StatusError(reason, message, details === undefined ? {} : { details });
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

  async #perform(thread: Thread, { job, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await thread.perform(job, this.#options.jobMs ?? defaultJobMs));
      this.#idle.push(thread);
    } catch (error) {
      this.#threads.delete(thread);
      reject(error);
    }
    this.#next();
  }

  #start(): Thread | undefined {
    if (this.#threads.size >= this.#options.threads) return undefined;
    const thread = new Thread(this.#options);
    this.#threads.add(thread);
    return thread;
  }
}

export function tooManyLarge(): StatusError {
  return tooManyRequests("Too many large requests, please try again later.", 1);
}

class Thread {
  readonly #worker: Worker;
  readonly #log: Log;
  /** Whether the thread has loaded its code, which on a busy machine takes longer than most jobs. */
  #isReady = false;

  constructor({ cache, settings, guard, log }: HeavyOptions) {
    const { port1, port2 } = new MessageChannel();
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const { now: _, ...plain } = settings;
    const data: ThreadData = { settings: plain, guard, answered, questions: port2 };
    this.#log = log;
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: data,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on("error", () => undefined);
    this.#worker.on("message", (message: JobResult | typeof ready) => {
      if (message === ready) this.#isReady = true;
    });
    port1.on(
      "message",
      (question: Question) => void this.#answer(question, { cache, port1, answered }),
    );
    port1.unref();
    this.#worker.once("exit", () => port1.close());
  }

  async #answer(
    question: Question,
    to: { cache: Cache; port1: MessagePort; answered: Int32Array<SharedArrayBuffer> },
  ): Promise<void> {
    try {
      to.port1.postMessage({ answer: await answerQuestion(to.cache, question) });
    } catch (error) {
      this.#log.error("Cannot answer a thread", { error });
      to.port1.postMessage({ answer: undefined });
    }
    Atomics.store(to.answered, 0, 1);
    Atomics.notify(to.answered, 0);
  }

  /** Performs a job. Rejects when it took too much; the thread cannot be used any more then. */
  perform(job: Job, limitMs: number): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearInterval(timer);
        this.#worker.off("message", onMessage);
        this.#worker.off("error", onError);
        this.#worker.off("exit", onExit);
        act();
      };
      const onMessage = (result: JobResult | typeof ready) => {
        if (result !== ready) settle(() => resolve(result));
      };
      const onError = (error: NodeJS.ErrnoException) =>
        settle(() => {
          if (error.code === "ERR_WORKER_OUT_OF_MEMORY")
            reject(tooMuchWork("it takes too much memory"));
          else reject(internal(error));
        });
      const onExit = () => settle(() => reject(unavailable("the server is stopping")));
      let started = performance.now();
      let before: number | undefined;
      const inspect = async () => {
        if (!this.#isReady) {
          started = performance.now();
          return;
        }
        const { user, system } = await this.#worker.cpuUsage();
        const spentMs = (user + system) / 1000;
        before ??= spentMs;
        const isTooLong = performance.now() - started > limitMs * patienceFactor;
        if (spentMs - before < limitMs && !isTooLong) return;
        this.#log.warn("gave up a request that took too long", { type: job.type });
        settle(() => reject(tooMuchWork(`it takes more than ${limitMs / 1000} s to work out`)));
        await this.end();
      };
      const timer = setInterval(() => {
        inspect().catch((error: NodeJS.ErrnoException) => {
          // A thread that has just ended says so by its event.
          if (error.code !== "ERR_WORKER_NOT_RUNNING") settle(() => reject(internal(error)));
        });
      }, inspectionMs);
      this.#worker.on("message", onMessage);
      this.#worker.on("error", onError);
      this.#worker.on("exit", onExit);
      this.#worker.postMessage(job, []);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

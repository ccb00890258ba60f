// One thread for heavy work, as the server's own thread sees it. It works on one job at a time; a job that
// waits for a webhook leaves it to others meanwhile.
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { ClusterSettings } from "../../../api/kinds/kind.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Log } from "../../../base/program/log.ts";
import type { WebhookPort } from "../admission/webhooks/port.ts";
import type { Cache } from "../cache/cache.ts";
import { internal, tooMuchWork, unavailable } from "../errors.ts";
import type { GuardSettings } from "../security/open-guard.ts";
import type {
  Errand,
  Job,
  JobResult,
  Question,
  ThreadData,
  ThreadMessage,
  ThreadOrder,
} from "./job.ts";
import { answerQuestion } from "./remote-objects.ts";

export interface WorkerOptions {
  readonly cache: Cache;
  readonly settings: ClusterSettings;
  readonly guard: GuardSettings;
  readonly log: Log;
  readonly webhooks: WebhookPort;
}

export interface Performance {
  /** The CPU time in milliseconds that the job may take. */
  readonly limitMs: number;
  /** Called when the job waits for a webhook, so that the thread is free. */
  readonly onWaiting: () => void;
}

/** The factor between the CPU time and the wall-clock time of a job, for machines that are busy otherwise. */
const patienceFactor = 6;
const inspectionMs = 500;
/** The memory of a thread; a job that needs more is terminated. */
const threadMegabytes = 768;

interface Running {
  readonly onWaiting: () => void;
  /** The number of webhooks that the job waits for. */
  errands: number;
  /** The state when the job last began to work; `undefined` until it is inspected. */
  since: { readonly time: number; readonly cpuMs: number } | undefined;
  settle(act: Settlement): void;
}

type Settlement = { readonly result: JobResult } | { readonly error: unknown };

export class WorkerThread {
  readonly #worker: Worker;
  readonly #log: Log;
  readonly #webhooks: WebhookPort;
  readonly #jobs = new Map<number, Running>();
  #last = 0;
  /** Whether the thread has loaded its code, which on a busy machine takes longer than most jobs. */
  #isReady = false;

  constructor({ cache, settings, guard, log, webhooks }: WorkerOptions) {
    const { port1, port2 } = new MessageChannel();
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const { now: _, ...plain } = settings;
    const data: ThreadData = { settings: plain, guard, answered, questions: port2 };
    this.#log = log;
    this.#webhooks = webhooks;
    this.#worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: data,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on("message", (message: ThreadMessage) => this.#receive(message));
    this.#worker.on("error", (error: NodeJS.ErrnoException) => this.#fail(failureOf(error)));
    this.#worker.once("exit", () => {
      this.#fail(unavailable("the server gave up its work, please try again"));
      port1.close();
    });
    port1.on(
      "message",
      (question: Question) => void this.#answer(question, { cache, port1, answered }),
    );
    port1.unref();
  }

  /** Performs a job. Rejects when it took too much; the thread cannot be used any more then. */
  perform(work: Job, { limitMs, onWaiting }: Performance): Promise<JobResult> {
    const job = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        this.#inspect(job, work, limitMs).catch((error: NodeJS.ErrnoException) => {
          // A thread that has just ended says so by its event.
          if (error.code === "ERR_WORKER_NOT_RUNNING") return;
          this.#jobs.get(job)?.settle({ error: internal(error) });
        });
      }, inspectionMs);
      this.#jobs.set(job, {
        onWaiting,
        errands: 0,
        since: undefined,
        settle: (act) => {
          clearInterval(timer);
          this.#jobs.delete(job);
          if ("result" in act) resolve(act.result);
          else reject(act.error);
        },
      });
      this.#send({ job, work });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(order: ThreadOrder): void {
    this.#worker.postMessage(order, []);
  }

  #receive(message: ThreadMessage): void {
    if ("ready" in message) this.#isReady = true;
    else if ("event" in message) this.#webhooks.observe(message.event);
    else if ("errand" in message) void this.#run(message.errand);
    else this.#jobs.get(message.job)?.settle({ result: message.result });
  }

  /** Calls a webhook for a job. */
  async #run({ id, job, call }: Errand): Promise<void> {
    const running = this.#jobs.get(job);
    if (running === undefined) return;
    running.errands++;
    running.onWaiting();
    try {
      this.#send({ done: { id, text: await this.#webhooks.post(call) } });
    } catch (error) {
      this.#send({ done: { id, failed: messageOf(error) } });
    }
    running.errands--;
    running.since = undefined;
  }

  #fail(error: unknown): void {
    const jobs = this.#jobs.values().toArray();
    for (const job of jobs) job.settle({ error });
  }

  async #inspect(job: number, work: Job, limitMs: number): Promise<void> {
    if (!this.#isReady) return;
    const { user, system } = await this.#worker.cpuUsage();
    const running = this.#jobs.get(job);
    if (running === undefined || running.errands > 0) return;
    const now = { time: performance.now(), cpuMs: (user + system) / 1000 };
    const since = (running.since ??= now);
    const isTooLong = now.time - since.time > limitMs * patienceFactor;
    if (now.cpuMs - since.cpuMs < limitMs && !isTooLong) return;
    this.#log.warn("gave up a request that took too long", { type: work.type });
    running.settle({ error: tooMuchWork(`it takes more than ${limitMs / 1000} s to work out`) });
    await this.end();
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
}

function failureOf(error: NodeJS.ErrnoException): unknown {
  if (error.code === "ERR_WORKER_OUT_OF_MEMORY") return tooMuchWork("it takes too much memory");
  return internal(error);
}

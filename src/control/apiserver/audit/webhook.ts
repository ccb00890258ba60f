// Sends audit events to a webhook in batches. The server never waits for it: events beyond the buffer are
// lost, and their loss is reported.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../base/program/log.ts";

export interface WebhookOptions {
  /** Sends a list of events; throws when the webhook did not accept it. */
  readonly post: (body: string) => Promise<void>;
  readonly log: Log;
  readonly bufferSize: number;
  readonly maxBatch: number;
  readonly maxWaitMs: number;
  readonly retryMs: number;
}

const attempts = 4;

export class AuditWebhook {
  readonly #options: WebhookOptions;
  #events: string[] = [];
  #lost = 0;
  #wake = Promise.withResolvers<void>();

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  write(line: string): void {
    if (this.#events.length >= this.#options.bufferSize) {
      if (this.#lost++ === 0) {
        this.#options.log.error("Cannot keep up with the audit webhook: events are lost");
      }
      return;
    }
    this.#events.push(line.trimEnd());
    if (this.#events.length >= this.#options.maxBatch) this.#wake.resolve();
  }

  /** Sends events until the signal aborts, then the remaining ones. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#wake.resolve(), { once: true });
    while (!signal.aborted) {
      await Promise.race([
        this.#wake.promise,
        sleep(this.#options.maxWaitMs, undefined, { ref: false }),
      ]);
      this.#wake = Promise.withResolvers();
      if (signal.aborted) this.#wake.resolve();
      await this.#send(signal);
    }
    await this.#send(signal);
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { maxBatch } = this.#options;
    while (this.#events.length > 0) {
      const batch = this.#events.splice(0, maxBatch);
      await this.#deliver(
        `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${batch.join(",")}]}`,
        { count: batch.length, signal },
      );
    }
  }

  async #deliver(
    body: string,
    { count, signal }: { count: number; signal: AbortSignal },
  ): Promise<void> {
    const { post, log, retryMs } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await post(body);
        this.#lost = 0;
        return;
      } catch (error) {
        if (attempt === attempts || signal.aborted) {
          log.error("Cannot deliver audit events: they are lost", { events: count, error });
          return;
        }
        await sleep(retryMs * 2 ** (attempt - 1));
      }
    }
  }
}

// The errands of a thread: webhooks that the server's own thread calls for it. Meanwhile the thread may work
// on other jobs, so that slow webhooks do not use up the threads.
import { AsyncLocalStorage } from "node:async_hooks";
import type { WebhookPort } from "../admission/webhooks/webhooks.ts";
import type { ErrandResult, ThreadMessage } from "./job.ts";

export interface Errands {
  readonly port: WebhookPort;
  /** Runs a job; the errands it asks for are known to be its own. */
  during(job: number, work: () => Promise<void>): Promise<void>;
  finish(result: ErrandResult): void;
}

export function openErrands(send: (message: ThreadMessage) => void): Errands {
  const current = new AsyncLocalStorage<number>();
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  let last = 0;
  return {
    during: (job, work) => current.run(job, work),
    finish(result) {
      const found = waiting.get(result.id);
      waiting.delete(result.id);
      if ("text" in result) found?.resolve(result.text);
      else found?.reject(new Error(result.failed));
    },
    port: {
      post(call) {
        const id = ++last;
        const answer = Promise.withResolvers<string>();
        waiting.set(id, answer);
        send({ errand: { id, job: current.getStore() ?? 0, call } });
        return answer.promise;
      },
      observe: (event) => send({ event }),
    },
  };
}

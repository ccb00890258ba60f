// Reports of the program inside to the `tandem up` outside: one line of JSON each.

import type { Progress } from "../../base/program/progress.ts";

export type Report =
  | { readonly step: string; readonly state: "started" | "done" | "failed" }
  | { readonly ready: true }
  | { readonly failure: string };

/** Shows the reported steps. Returns once the cluster is ready; throws if it failed. */
export async function followReports(
  reports: AsyncIterable<string>,
  progress: Progress,
): Promise<void> {
  const steps = new Map<string, Step>();
  for await (const line of reports) {
    const report = JSON.parse(line) as Report;
    if ("ready" in report) return;
    if ("failure" in report) throw new Error(report.failure);
    if (report.state === "started") steps.set(report.step, new Step(report.step, progress));
    else await steps.get(report.step)?.end(report.state);
  }
  throw new Error("Cannot bring up the cluster: it ended before it was ready");
}

export function reportingProgress(write: (report: Report) => void): Progress {
  return {
    async step(step, work) {
      write({ step, state: "started" });
      try {
        const result = await work();
        write({ step, state: "done" });
        return result;
      } catch (error) {
        write({ step, state: "failed" });
        throw error;
      }
    },
  };
}

class Step {
  readonly #work = Promise.withResolvers<void>();
  readonly #shown: Promise<void>;

  constructor(name: string, progress: Progress) {
    // The reason of a failure has a report of its own.
    this.#shown = progress.step(name, () => this.#work.promise).catch(() => undefined);
  }

  async end(state: "done" | "failed"): Promise<void> {
    if (state === "done") this.#work.resolve();
    else this.#work.reject(new Error(state));
    await this.#shown;
  }
}

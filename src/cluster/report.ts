// What happens inside, told to the `tandem up` outside: a line of JSON each.

import type { Progress } from "../program/progress.ts";

export type Report =
  | { readonly step: string; readonly state: "started" | "done" | "failed" }
  | { readonly ready: true }
  | { readonly failure: string };

/** The same steps again, for those who watch. Returns once all is ready; throws when it will not be. */
export async function followReports(
  reports: AsyncIterable<string>,
  progress: Progress,
): Promise<void> {
  const open = new Map<string, PromiseWithResolvers<void>>();
  for await (const line of reports) {
    const report = JSON.parse(line) as Report;
    if ("ready" in report) return;
    if ("failure" in report) throw new Error(report.failure);
    if (report.state === "started") {
      const work = Promise.withResolvers<void>();
      open.set(report.step, work);
      // A failure is told once, by its own report.
      progress.step(report.step, () => work.promise).catch(() => undefined);
    } else if (report.state === "done") {
      open.get(report.step)?.resolve();
      await Promise.resolve();
    } else {
      open.get(report.step)?.reject(new Error(report.step));
    }
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

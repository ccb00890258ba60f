// The program inside of an enclosure: reads its order from the standard input, and reports to the standard
// output.

import { createInterface } from "node:readline";
import { describeError } from "../../base/program/errors.ts";
import { readOrder } from "./order.ts";
import { type Report, reportingProgress } from "./report.ts";
import { RunningCluster, type Surroundings } from "./run-cluster.ts";

export interface SuperviseOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly around: Omit<Surroundings, "progress">;
}

const descriptor = 3;

export async function supervise(options: SuperviseOptions, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input: options.input })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) return;
  const order = readOrder(first.value);
  const left = new AbortController();
  // The standard input has ended without "detach": the giver of the order has died.
  void lines.next().then(({ done }) => done && left.abort());
  const stop = AbortSignal.any([signal, left.signal]);

  const report = (line: Report): void => void options.output.write(`${JSON.stringify(line)}\n`);
  // The reports need no reader.
  options.output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const around = { ...options.around, progress: reportingProgress(report) };
  const cluster = new RunningCluster({ ...order, descriptor }, around);
  try {
    await cluster.start(stop);
    report({ ready: true });
    await cluster.keep(stop);
  } catch (error) {
    if (stop.aborted) return;
    report({ failure: describeError(error) });
    throw error;
  } finally {
    await cluster.stop();
  }
}

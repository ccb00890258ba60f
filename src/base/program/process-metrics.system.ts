// The process metrics of every program.

import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "./metrics.ts";
import { version } from "./version.ts";

/** Registers memory, CPU, descriptors and event-loop lag; they are read when the metrics are rendered. */
export function registerProcessMetrics(registry: Registry): void {
  const cpu = registry.counter("process_cpu_seconds_total", {
    help: "CPU time spent in user and system mode, in seconds.",
  });
  const memory = registry.gauge("process_resident_memory_bytes", {
    help: "Resident memory, in bytes.",
  });
  const heap = registry.gauge("nodejs_heap_size_used_bytes", {
    help: "JavaScript heap in use, in bytes.",
  });
  const descriptors = registry.gauge("process_open_fds", { help: "Open file descriptors." });
  const lag = registry.gauge("nodejs_eventloop_lag_seconds", {
    help: "How late the event loop was since the last reading, in seconds.",
    labels: ["quantile"],
  });
  registry
    .gauge("process_start_time_seconds", { help: "Start of the process, in seconds since 1970." })
    .set((Date.now() - performance.now()) / 1000);
  registry
    .gauge("tandem_build_info", {
      help: "Always 1; the labels say what runs.",
      labels: ["version", "node"],
    })
    .with(version, process.versions.node)
    .set(1);

  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  registry.beforeRender(() => {
    const { user, system } = process.cpuUsage();
    cpu.setTotal((user + system) / 1e6);
    memory.set(process.memoryUsage.rss());
    heap.set(process.memoryUsage().heapUsed);
    descriptors.set(readdirSync("/proc/self/fd").length);
    for (const quantile of ["0.5", "0.99", "1"]) {
      lag.with(quantile).set(lateness(delay.percentile(Number(quantile) * 100)));
    }
    delay.reset();
  });
}

const resolutionMs = 20;

/** The lag in seconds: what exceeds the timer's interval in the histogram, which is in nanoseconds. */
function lateness(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3);
}

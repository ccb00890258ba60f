// The stall meter: how much CPU time the longest turn of the server's thread took. While a turn lasts
// nobody else is served, so this figure is what one client can do to all others.
import type { Registry } from "../../../base/program/metrics.ts";
import { aborted } from "../aborted.ts";

/** The interval of the beats; a turn is measured up to this much too long. */
const beatMs = 10;
/** The duration from which turns are recorded; shorter ones are everyday work. */
const noteworthySeconds = 0.02;

export interface StallMeter {
  run(signal: AbortSignal): Promise<void>;
}

export function stallMeter(registry: Registry): StallMeter {
  let longest = 0;
  const turns = registry.histogram("apiserver_long_turn_seconds", {
    help: "CPU time of turns of the server's thread that took more than 20 ms, in seconds.",
    buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const gauge = registry.gauge("apiserver_longest_turn_seconds", {
    help: "CPU time of the longest turn of the server's thread since it serves, in seconds.",
  });
  registry.beforeRender(() => gauge.set(longest));
  return {
    async run(signal) {
      let before = reading();
      const beat = setInterval(() => {
        const now = reading();
        // CPU time counts where it is less than wall-clock time: another process may have held the CPU.
        const seconds = Math.min(now.cpu - before.cpu, now.wall - before.wall);
        before = now;
        if (seconds < noteworthySeconds) return;
        turns.observe(seconds);
        longest = Math.max(longest, seconds);
      }, beatMs);
      await aborted(signal);
      clearInterval(beat);
    },
  };
}

/** Reads the CPU time of the thread and the wall-clock time, in seconds. */
function reading(): { cpu: number; wall: number } {
  const { user, system } = process.threadCpuUsage();
  return { cpu: (user + system) / 1e6, wall: performance.now() / 1000 };
}

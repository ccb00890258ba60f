// Watches whether containers can be run at all: their programs may be installed or removed, and cgroups
// mounted, while the agent runs.
import { type Clock, pause } from "../../base/host/clock.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { Part } from "../../base/program/run-all.ts";
import type { Readiness } from "./readiness.ts";

interface Options {
  readonly readiness: Readiness;
  readonly clock: Clock;
  /** Rejects with what is missing. */
  readonly check: () => Promise<void>;
}

export interface ContainerProgramsWatch extends Part {
  /** Resolves when everything was present for the first time. */
  readonly ready: Promise<void>;
}

const part = "containers";
const missingMs = 1_000;
const presentMs = 10_000;

export function watchContainerPrograms(options: Options): ContainerProgramsWatch {
  const { readiness, clock, check } = options;
  const ready = Promise.withResolvers<void>();
  return {
    name: "container programs",
    ready: ready.promise,
    async run(signal) {
      while (!signal.aborted) {
        const lack = await check().then(() => undefined, messageOf);
        if (lack === undefined) {
          readiness.ready(part);
          ready.resolve();
        } else readiness.lacks(part, lack);
        await pause(clock, lack === undefined ? presentMs : missingMs, signal);
      }
    },
  };
}

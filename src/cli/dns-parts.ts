// What the programs around names work with: the API, and this machine as it is.

import { systemClock } from "../host/clock.system.ts";
import { systemCommands } from "../host/command.system.ts";
import { systemFiles } from "../host/files.system.ts";
import { systemRandom } from "../host/random.system.ts";
import { Registry } from "../program/metrics.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";
import { type Around, type ConnectOptions, openConnection } from "./connect.ts";

export async function openDnsParts(options: ConnectOptions, around: Omit<Around, "metrics">) {
  const metrics = new Registry();
  registerProcessMetrics(metrics);
  return {
    ...(await openConnection(options, { ...around, metrics })),
    files: systemFiles,
    commands: systemCommands(),
    clock: systemClock,
    random: systemRandom,
    metrics,
  };
}

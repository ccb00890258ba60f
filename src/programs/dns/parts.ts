// What the programs around names work with: the API, and this machine as it is.

import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.ts";
import { type Around, type ConnectOptions, openConnection } from "../connect/connect.ts";

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

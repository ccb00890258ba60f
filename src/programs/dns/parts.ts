// Opens what DNS programs work with: the API client, and the system's clock, commands and files.

import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
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

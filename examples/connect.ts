// How the examples reach a cluster: by a kubeconfig, like kubectl.

import { env } from "node:process";
import type { Client } from "../src/api/client/client.ts";
import { connect } from "../src/api/client/connect.ts";
import { loadAccess } from "../src/api/client/kubeconfig/load.ts";
import { systemClock } from "../src/base/host/clock.system.ts";
import { systemCommands } from "../src/base/host/command.system.ts";
import { systemFiles } from "../src/base/host/files.system.ts";
import { systemRandom } from "../src/base/host/random.system.ts";
import { createStreamLog, type Log } from "../src/base/program/log.ts";

export interface Surroundings {
  readonly client: Client;
  readonly clock: typeof systemClock;
  readonly random: typeof systemRandom;
  readonly log: Log;
}

export async function connectByKubeconfig(component: string, file?: string): Promise<Surroundings> {
  const parts = { clock: systemClock, random: systemRandom };
  const machine = { ...parts, files: systemFiles, commands: systemCommands(), environment: env };
  const access = await loadAccess(machine, { file });
  const log = createStreamLog(process.stderr, { logLevel: "info", logFormat: "auto" });
  return { ...parts, log, client: connect(access, { component, ...parts }) };
}

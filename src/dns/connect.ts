// The machine as it is, for programs of this folder.

import type { Client } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { loadAccess } from "../client/kubeconfig/load.ts";
import { systemClock } from "../host/clock.system.ts";
import type { Clock } from "../host/clock.ts";
import { systemCommands } from "../host/command.system.ts";
import type { Commands } from "../host/command.ts";
import { systemFiles } from "../host/files.system.ts";
import type { Files } from "../host/files.ts";
import { systemRandom } from "../host/random.system.ts";
import type { Random } from "../host/random.ts";
import { Registry } from "../program/metrics.ts";
import { registerProcessMetrics } from "../program/process-metrics.ts";

export interface ClusterConnection {
  readonly client: Client;
  /** What names none is in this namespace. */
  readonly namespace: string;
  readonly files: Files;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Registry;
}

export async function connectToCluster(options: {
  readonly component: string;
  readonly kubeconfig: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<ClusterConnection> {
  const { component, kubeconfig: file, environment } = options;
  const metrics = new Registry();
  registerProcessMetrics(metrics);
  const clock = systemClock;
  const random = systemRandom;
  const commands = systemCommands();
  const access = await loadAccess({ files: systemFiles, commands, clock, environment }, { file });
  const client = connect(access, { component, clock, random, metrics });
  return {
    client,
    namespace: access.namespace,
    files: systemFiles,
    commands,
    clock,
    random,
    metrics,
  };
}

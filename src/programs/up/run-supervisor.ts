// Wires the program that runs a cluster inside of its enclosure.

import { connect } from "../../api/client/connect.ts";
import { loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Log } from "../../base/program/log.ts";
import { supervise } from "./supervise.ts";

export async function runSupervisor(
  { log, env: environment }: { log: Log; env: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<void> {
  const clock = systemClock;
  const random = systemRandom;
  const machine = { files: systemFiles, commands: systemCommands(), clock };
  const around = {
    ...machine,
    random,
    log,
    connect: async (file: string) => {
      const access = await loadAccess({ ...machine, environment }, { file });
      const client = connect(access, { component: "tandem-up", clock, random });
      return { client, authority: access.authorities ?? "" };
    },
  };
  await supervise({ input: process.stdin, output: process.stdout, around }, signal);
}

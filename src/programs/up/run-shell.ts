// Wires `tandem shell`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { enter, findCluster } from "./find-cluster.ts";
import { clusterMachine } from "./machine.ts";
import { networkOf } from "./network-of.ts";

export interface ShellOptions {
  readonly name: string;
  readonly place: string;
  readonly command: readonly string[];
}

/** Returns the exit code of the command. */
export async function runShell(options: ShellOptions, env: NodeJS.ProcessEnv): Promise<number> {
  const { name, place, command } = options;
  const machine = await clusterMachine(env);
  const cluster = await findCluster(machine, name);
  const network = await networkOf(cluster, machine.files, place);
  const inside = command.length > 0 ? command : [env["SHELL"] ?? "/bin/sh"];
  const [program = "", ...args] = [...enter(cluster, machine, network), ...inside];
  // An interrupt goes to the command, which is in the same process group; this process ends with it.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  const child = spawn(program, args, {
    stdio: "inherit",
    env: { ...env, PATH: `${env["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`, PS1: `${place}# ` },
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  process.off("SIGINT", ignore);
  return code ?? 128 + constants.signals[signal ?? "SIGKILL"];
}

// `tandem upgrade`: a newer package on this machine, its units restarted, and its node ready again.

import { hostname } from "node:os";
import type { Client } from "../../api/client/client.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { UsageError } from "../../base/program/errors.ts";
import { createProgress } from "../../base/program/progress.ts";
import { version } from "../../base/program/version.ts";
import {
  configPath,
  leftBehind,
  machinePlaces,
  nodeSkewProblem,
  readConfigValues,
  upgradeProblem,
} from "../../install/machine/machine.ts";
import { openConnection } from "../connect/connect.ts";
import { readCluster } from "./cluster-config.ts";
import type { InstallStreams } from "./options.ts";
import { identityKubeconfig, readUnits } from "./read-facts.ts";
import { untilReady, untilServed } from "./wait.ts";

export interface UpgradeOptions {
  /** The path of the Debian package. */
  readonly file: string;
  readonly wait: number;
  readonly dryRun: boolean;
}

const patienceMs = 600_000;

export async function runUpgrade(
  { file, wait, dryRun }: UpgradeOptions,
  { stdout, stderr, env }: InstallStreams,
  signal: AbortSignal,
): Promise<void> {
  const commands = systemCommands();
  const ask = ["dpkg-deb", "--showformat=${Package} ${Version}", "--show", file];
  const [name = "", next = ""] = (await commands.run(ask)).stdout.trim().split(" ");
  if (name !== "tandem") throw cannot(file, `it is the package ${name}`);
  const problem = upgradeProblem(version, next);
  if (problem !== undefined) throw cannot(file, problem);
  const units = await readUnits(commands);
  const isServer = units.get("tandem-server.service")?.isActive === true;
  const isNode = units.get("tandem-agent.service")?.isActive === true;
  const kubeconfig = isServer ? machinePlaces.kubeconfig : identityKubeconfig();
  if (isServer || isNode) await checkOthers(kubeconfig, { next, env, file, isServer }, signal);
  if (dryRun) {
    stdout.write(`${version} would become ${next}.\n`);
    return;
  }
  const progress = createProgress(stderr);
  // Services are restarted by the package itself; pods go on, since the agent's unit ends nothing but itself.
  await progress.step(`package ${next}`, () =>
    commands.run(["dpkg", "--install", file], { timeoutMs: patienceMs, signal }),
  );
  const waiting = { limitMs: wait, env, signal };
  if (isServer) {
    const { client } = await progress.step("API server", () => untilServed(kubeconfig, waiting));
    client.transport.close();
  }
  if (isNode) {
    const { nodeName } = readConfigValues(await systemFiles.read(configPath("agent")));
    const node = typeof nodeName === "string" ? nodeName : hostname().toLowerCase();
    const { client } = await openConnection({ kubeconfig }, { component: "tandem-upgrade", env });
    try {
      // What the agent before had told may still be there, ready as it was.
      const told = next.replace("~", "-");
      await progress.step(`node ${node}`, () =>
        untilReady(client, node, { ...waiting, version: told }),
      );
    } finally {
      client.transport.close();
    }
  }
  stdout.write(`This machine has version ${next}.\n`);
  if (units.get("tandem-vip.service")?.isActive === true) {
    stdout.write(
      "tandem-vip goes on with the version it has: restarted, its virtual addresses move, and connections " +
        "through them end. When that suits, on one server after the other: systemctl restart tandem-vip\n",
    );
  }
}

interface Checked extends Pick<InstallStreams, "env"> {
  readonly next: string;
  readonly file: string;
  readonly isServer: boolean;
}

/** Throws if the other machines' versions do not work with the next one: servers' for a node, nodes' for a server. */
async function checkOthers(
  kubeconfig: string,
  { next, env, file, isServer }: Checked,
  signal: AbortSignal,
): Promise<void> {
  const { client } = await openConnection({ kubeconfig }, { component: "tandem-upgrade", env });
  try {
    const problem = isServer
      ? leftBehind(next, await nodeVersions(client, signal))
      : nodeSkewProblem(await servedVersion(client, signal), next);
    if (problem !== undefined) throw cannot(file, problem);
  } finally {
    client.transport.close();
  }
}

async function nodeVersions(client: Client, signal: AbortSignal) {
  const { items } = await client.resource("v1", "Node").listAll({ signal });
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    version: status?.nodeInfo?.kubeletVersion ?? "",
  }));
}

async function servedVersion(client: Client, signal: AbortSignal): Promise<string> {
  return (await readCluster(client, signal))?.version ?? "";
}

function cannot(file: string, state: string): UsageError {
  return new UsageError(`Cannot upgrade to ${file}: ${state}`);
}

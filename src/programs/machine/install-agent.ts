// `tandem install agent`: this machine becomes a node of a cluster whose server is elsewhere.

import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { createProgress } from "../../base/program/progress.ts";
import { version } from "../../base/program/version.ts";
import {
  configPath,
  nodeSkewProblem,
  planAgent,
  readConfigValues,
  refused,
} from "../../install/machine/machine.ts";
import { openConnection } from "../connect/connect.ts";
import { isUnchanged, startUnits, writePlannedFiles } from "./apply-plan.ts";
import { becomeMember } from "./become-member.ts";
import { askCluster, type FoundCluster, readCluster } from "./cluster-config.ts";
import {
  type InstallStreams,
  invitationOf,
  type JoinOptions,
  type NodeOptions,
} from "./options.ts";
import { identityKubeconfig, readFacts } from "./read-facts.ts";
import { formatPlan } from "./show-plan.ts";
import { untilReady } from "./wait.ts";

export type AgentOptions = JoinOptions & NodeOptions;

export async function installAgent(
  options: AgentOptions,
  streams: InstallStreams,
  signal: AbortSignal,
): Promise<void> {
  const commands = systemCommands();
  const { stdout, stderr, env } = streams;
  const { network: cluster, version: served } = await findCluster(options, streams, signal);
  const problem = nodeSkewProblem(served, version);
  if (problem !== undefined) throw refused(problem);
  const { nodeName, nodeIp, registerWithTaints } = options;
  const none = { hasVips: false, hasEtcd: false, ingress: false };
  const facts = await readFacts({ commands, nodeIp, network: cluster.network, env, ...none });
  if ((facts.configuration.get(configPath("server")) ?? "") !== "") {
    throw refused("this machine has a server", "'tandem install server' makes it a node as well.");
  }
  const server = await serverOf(options);
  const plan = planAgent({ cluster, nodeName, nodeIp, registerWithTaints, server }, facts);
  if (options.dryRun) {
    stdout.write(await formatPlan(plan, options.output));
    return;
  }
  const node = plan.node ?? facts.hostname;
  await createProgress(stderr).step(`node ${node}`, async () => {
    await writePlannedFiles(plan, commands);
    await becomeMember({ ...options, ...streams, node, server }, signal);
    await startUnits(plan, ["agent"], commands);
    const around = { component: "tandem-install", env };
    const { client } = await openConnection({ kubeconfig: identityKubeconfig() }, around);
    try {
      await untilReady(client, node, { limitMs: options.wait, env, signal });
    } finally {
      client.transport.close();
    }
  });
  const state = isUnchanged(plan) ? "was installed already" : `is the node ${node} of ${server}`;
  stdout.write(`This machine ${state}.\n`);
}

/** Asks the cluster: as the node that this machine is already, or with a token. */
async function findCluster(
  options: AgentOptions,
  { env }: InstallStreams,
  signal: AbortSignal,
): Promise<FoundCluster> {
  const kubeconfig = identityKubeconfig();
  if ((await systemFiles.read(kubeconfig)) === undefined) {
    return await askCluster({ ...invitationOf(options), role: "agent" }, signal);
  }
  const { client } = await openConnection({ kubeconfig }, { component: "tandem-install", env });
  try {
    const found = await readCluster(client, signal);
    if (found !== undefined) return found;
    throw refused("this machine is a node of a cluster that 'tandem install' has not made");
  } finally {
    client.transport.close();
  }
}

/** The server to use: the one named, or the one that the machine has joined. */
async function serverOf({ join }: AgentOptions): Promise<string> {
  if (join !== undefined) return join.includes("://") ? join : `https://${join}`;
  const { server } = readConfigValues(await systemFiles.read(configPath("agent")));
  if (typeof server === "string") return server;
  throw refused("--join is not given, and this machine has joined no cluster");
}

// `tandem install server`: an API server on this machine, which is a node of its cluster as well.

import type { Client } from "../../api/client/client.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { createProgress, type Progress } from "../../base/program/progress.ts";
import { version } from "../../base/program/version.ts";
import {
  type ClusterNetwork,
  type InstallPlan,
  type MachineFacts,
  machinePlaces,
  nodeSkewProblem,
  planServer,
  refused,
} from "../../install/machine/machine.ts";
import { applyParts, makeInfrastructure, markControlPlanes } from "../up/up.ts";
import { isUnchanged, startUnits, writePlannedFiles } from "./apply-plan.ts";
import { becomeMember } from "./become-member.ts";
import { askCluster, writeCluster } from "./cluster-config.ts";
import { type EtcdOptions, storeAddress } from "./etcd-address.ts";
import { joinCommand, makeToken } from "./join-command.ts";
import {
  type InstallStreams,
  invitationOf,
  type JoinOptions,
  type NodeOptions,
} from "./options.ts";
import { readFacts } from "./read-facts.ts";
import { type GivenNetwork, resolveNetwork, storeNetwork } from "./settings.ts";
import { formatPlan } from "./show-plan.ts";
import { untilReady, untilServed, type WaitOptions } from "./wait.ts";

export interface ServerOptions extends GivenNetwork, JoinOptions, NodeOptions, EtcdOptions {
  readonly node: boolean;
  readonly dns: boolean;
  readonly ingress: boolean;
  readonly balancerAddresses: readonly string[];
  readonly tlsSan: readonly string[];
  readonly tokenTtl: number;
}

export async function installServer(
  options: ServerOptions,
  streams: InstallStreams,
  signal: AbortSignal,
): Promise<void> {
  const commands = systemCommands();
  const store = storeAddress(options);
  if (options.join !== undefined && store === "embedded") {
    throw refused(
      "a further server shares an etcd with the first, and none is named",
      "Name it with --etcd-servers; a cluster with an embedded store has one server.",
    );
  }
  const cluster = await clusterOf(options, signal);
  const hasVips = cluster.apiVips.length > 0;
  const facts = await readFacts({
    ...options,
    ...streams,
    commands,
    network: cluster.network,
    hasVips,
  });
  const { registerWithTaints, nodeIp, tlsSan, nodeName } = options;
  const wishes = { cluster, store, tlsSan, nodeName, nodeIp, registerWithTaints };
  const plan = planServer({ ...wishes, isNode: options.node }, facts);
  if (options.dryRun) {
    streams.stdout.write(await formatPlan(plan, options.output));
    return;
  }
  const progress = createProgress(streams.stderr);
  const run = { options, plan, cluster, facts, progress, streams, signal };
  await writePlannedFiles(plan, commands);
  await storeNetwork(cluster);
  await startUnits(plan, ["server"], commands);
  await completeServer(run);
}

interface Run {
  readonly options: ServerOptions;
  readonly plan: InstallPlan;
  readonly cluster: ClusterNetwork;
  readonly facts: MachineFacts;
  readonly progress: Progress;
  readonly streams: InstallStreams;
  readonly signal: AbortSignal;
}

/** The objects of the cluster, this machine's node, and how others join. */
async function completeServer(run: Run): Promise<void> {
  const { options, plan, progress, streams, signal } = run;
  const { stdout, env } = streams;
  const commands = systemCommands();
  const waiting: WaitOptions = { limitMs: options.wait, env, signal };
  const { kubeconfig } = machinePlaces;
  const connection = await progress.step("API server", () => untilServed(kubeconfig, waiting));
  const { client } = connection;
  try {
    if (options.join === undefined) {
      await progress.step("cluster", () => makeCluster(client, run));
    }
    if (plan.node !== undefined) {
      const { node } = plan;
      await progress.step(`node ${node}`, async () => {
        await becomeMember({ ...streams, node, kubeconfig, nodeIp: options.nodeIp }, signal);
        await startUnits(plan, ["agent", "vip"], commands);
        await untilReady(client, node, waiting);
        await markControlPlanes(client, [node]);
      });
    }
    const expires = new Date(Date.now() + options.tokenTtl);
    const description = "made by 'tandem install server'";
    const token = await makeToken(client, { expires, description }, signal);
    const command = await joinCommand(connection, token, signal);
    stdout.write(
      `${isUnchanged(plan) ? "This machine was installed already" : "This machine is a server of the cluster"}.\n\n` +
        `  export KUBECONFIG=${kubeconfig}\n  tandem check\n\n` +
        `To make another machine a node, run there before ${expires.toISOString()}:\n\n  ${command}\n`,
    );
  } finally {
    client.transport.close();
  }
}

async function makeCluster(client: Client, { options, cluster, facts }: Run): Promise<void> {
  const isAvailable = cluster.apiVips.length > 0;
  await writeCluster(client, cluster);
  await applyParts(client, {
    ...cluster,
    dns: options.dns,
    ingress: options.ingress,
    balanced: options.balancerAddresses,
    hasUpstream: true,
    controlPlanes: isAvailable ? 3 : 1,
  });
  if (!isAvailable) return;
  const named = { ...cluster, name: "tandem", nodeCidr: facts.networks };
  await makeInfrastructure(client, named, { namesVips: true });
}

/** What the cluster is like: as this first server is told, or as the cluster that it joins says. */
async function clusterOf(options: ServerOptions, signal: AbortSignal): Promise<ClusterNetwork> {
  if (options.join === undefined) return await resolveNetwork(options);
  const { network, version: served } = await askCluster(invitationOf(options), signal);
  const problem = nodeSkewProblem(served, version);
  if (problem !== undefined) throw refused(problem);
  return network;
}

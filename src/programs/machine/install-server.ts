// `tandem install server`: an API server on this machine, which is a node of its cluster as well.

import type { Client } from "../../api/client/client.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { createProgress, type Progress } from "../../base/program/progress.ts";
import { version } from "../../base/program/version.ts";
import {
  type ClusterNetwork,
  configPath,
  type EtcdPeer,
  type InstallPlan,
  type MachineFacts,
  machinePlaces,
  nodeSkewProblem,
  ownStore,
  planServer,
  readConfigValues,
  refused,
} from "../../install/machine/machine.ts";
import type { Connection } from "../connect/connect.ts";
import { applyParts, makeInfrastructure, markControlPlanes } from "../up/up.ts";
import { isUnchanged, startUnits, writePlannedFiles } from "./apply-plan.ts";
import { becomeMember } from "./become-member.ts";
import { askCluster, writeCluster, writeEtcd } from "./cluster-config.ts";
import { type EtcdOptions, storeAddress } from "./etcd-address.ts";
import { joinCommand, makeToken } from "./join-command.ts";
import {
  type InstallStreams,
  invitationOf,
  type JoinOptions,
  type NodeOptions,
} from "./options.ts";
import {
  addMember,
  type EtcdAccess,
  hasData,
  otherMembers,
  prepareMember,
  promoteMember,
  readRoot,
} from "./own-etcd.ts";
import { readFacts } from "./read-facts.ts";
import { type GivenNetwork, resolveNetwork, storeNetwork } from "./settings.ts";
import { formatPlan } from "./show-plan.ts";
import { untilReady, untilServed, untilVirtual, type WaitOptions } from "./wait.ts";

export interface ServerOptions
  extends Omit<GivenNetwork, "store">,
    JoinOptions,
    NodeOptions,
    EtcdOptions {
  readonly node: boolean;
  readonly etcd?: boolean | undefined;
  readonly dns: boolean;
  readonly ingress: boolean;
  readonly balancerAddresses: readonly string[];
  readonly tlsSan: readonly string[];
  readonly tokenTtl: number;
}

/** How long machines can become servers by the command that is printed: its token opens everything. */
const serverTokenMs = 2 * 60 * 60 * 1000;

export async function installServer(
  options: ServerOptions,
  streams: InstallStreams,
  signal: AbortSignal,
): Promise<void> {
  const commands = systemCommands();
  const { cluster, etcd } = await clusterOf(options, signal);
  const hasEtcd = cluster.store === "own-etcd";
  const about = { network: cluster.network, hasVips: cluster.apiVips.length > 0, hasEtcd };
  const facts = await readFacts({ ...options, ...streams, commands, ...about });
  const { registerWithTaints, nodeIp, tlsSan, nodeName, node: isNode } = options;
  const addresses = nodeIp.length > 0 ? nodeIp : facts.addresses;
  const store = storeOf(options, cluster, facts);
  const wishes = { cluster, store, tlsSan, nodeName, nodeIp, registerWithTaints, isNode };
  const planned = (others: readonly EtcdPeer[]) =>
    planServer({ ...wishes, etcd: hasEtcd ? { others } : undefined }, facts);
  const isMember = etcd === undefined || (await hasData());
  const plan = planned(isMember ? [] : await otherMembers(etcd, addresses, signal));
  if (options.dryRun) {
    streams.stdout.write(await formatPlan(plan, options.output));
    return;
  }
  const progress = createProgress(streams.stderr);
  const run = { options, plan, cluster, facts, progress, streams, signal };
  if (hasEtcd) {
    const waiting = { limitMs: options.wait, signal };
    await progress.step("etcd", async () => {
      const member = { addresses, certificate: await prepareMember(addresses, etcd?.root) };
      const others = isMember ? [] : await addMember(etcd, member, signal);
      const began = planned(others);
      await writePlannedFiles(began, commands);
      await startUnits(began, ["etcd"], commands);
      if (etcd !== undefined) await promoteMember(etcd, member, waiting);
    });
  } else await writePlannedFiles(plan, commands);
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
  const { options, plan, cluster, progress, streams, signal } = run;
  const { env } = streams;
  const commands = systemCommands();
  const waiting: WaitOptions = { limitMs: options.wait, env, signal };
  const { kubeconfig } = machinePlaces;
  const connection = await progress.step("API server", () => untilServed(kubeconfig, waiting));
  const { client, access } = connection;
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
    if (cluster.apiVips.length > 0) {
      const vips = cluster.apiVips.join(", ");
      await progress.step(`API at ${vips}`, () => untilVirtual(access, cluster.apiVips, waiting));
    }
    await tellOthers(connection, run);
  } finally {
    client.transport.close();
  }
}

/** Prints the commands by which other machines join. */
async function tellOthers(connection: Connection, run: Run): Promise<void> {
  const { options, plan, cluster, streams, signal } = run;
  const command = async (role: "agent" | "server", lifetimeMs: number) => {
    const expires = new Date(Date.now() + lifetimeMs);
    const description = "made by 'tandem install server'";
    const wanted = { expires, description, role };
    const token = await makeToken(connection.client, wanted, signal);
    const line = await joinCommand(connection, { token, role }, signal);
    const what = role === "server" ? "a further server" : "a node";
    return `\nTo make another machine ${what}, run there before ${expires.toISOString()}:\n\n  ${line}\n`;
  };
  const state = isUnchanged(plan)
    ? "This machine was installed already"
    : "This machine is a server of the cluster";
  streams.stdout.write(
    `${state}.\n\n  export KUBECONFIG=${machinePlaces.kubeconfig}\n  tandem check\n`,
  );
  streams.stdout.write(await command("agent", options.tokenTtl));
  if (cluster.store === "embedded") return;
  streams.stdout.write(await command("server", Math.min(options.tokenTtl, serverTokenMs)));
}

async function makeCluster(client: Client, { options, cluster, facts }: Run): Promise<void> {
  const isAvailable = cluster.apiVips.length > 0;
  await writeCluster(client, cluster);
  const root = cluster.store === "own-etcd" ? await readRoot() : undefined;
  if (root !== undefined) await writeEtcd(client, root);
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

interface Joined {
  readonly cluster: ClusterNetwork;
  /** How to join the etcd of the other servers. */
  readonly etcd?: EtcdAccess | undefined;
}

/** What the cluster is like: as this first server is told, or as the cluster that it joins says. */
async function clusterOf(options: ServerOptions, signal: AbortSignal): Promise<Joined> {
  const { join, etcd: wantsEtcd, etcdServers, apiVips = [] } = options;
  if (wantsEtcd === true && etcdServers.length > 0) {
    throw refused("--etcd runs an etcd here, and --etcd-servers names another");
  }
  if (join === undefined) {
    const runsEtcd = wantsEtcd ?? (apiVips.length > 0 || undefined);
    const store = etcdServers.length > 0 ? "etcd" : wordFor(runsEtcd);
    return { cluster: await resolveNetwork({ ...options, store }) };
  }
  const invitation = { ...invitationOf(options), role: "server" as const };
  const { network, version: served, etcd } = await askCluster(invitation, signal);
  const problem = nodeSkewProblem(served, version);
  if (problem !== undefined) throw refused(problem);
  if (network.store === "own-etcd" && etcdServers.length > 0) {
    throw refused("the servers of this cluster run etcd themselves", "Leave out --etcd-servers.");
  }
  if (network.store !== "own-etcd" && etcdServers.length === 0) {
    throw refused(
      "a further server shares an etcd with the first, and none is named",
      "Name it with --etcd-servers; a cluster with an embedded store has one server.",
    );
  }
  return { cluster: network, etcd };
}

function wordFor(runsEtcd: boolean | undefined): ClusterNetwork["store"] | undefined {
  if (runsEtcd === undefined) return undefined;
  return runsEtcd ? "own-etcd" : "embedded";
}

/** Where the server keeps objects; a server that is installed again may leave out the etcd that it was told. */
function storeOf(options: ServerOptions, cluster: ClusterNetwork, facts: MachineFacts): string {
  const { nodeIp, etcdServers } = options;
  if (cluster.store === "own-etcd") {
    return ownStore(nodeIp.length > 0 ? nodeIp : facts.addresses);
  }
  const { store } = readConfigValues(facts.configuration.get(configPath("server")));
  if (cluster.store === "etcd" && etcdServers.length === 0 && typeof store === "string") {
    return store;
  }
  return storeAddress(options);
}

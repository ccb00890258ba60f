// Runs a cluster inside of the enclosure: makes the network, starts the programs and keeps them running.

import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { Client } from "../../api/client/client.ts";
import { ApiError } from "../../api/client/errors.ts";
import { type Clock, pause } from "../../base/host/clock.ts";
import type { Commands } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import type { Progress } from "../../base/program/progress.ts";
import { createBootstrapToken } from "../../control/apiserver/apiserver.ts";
import { publicKeyHash } from "../../node/join/join.ts";
import { buildTopology } from "./build-topology.ts";
import { isOutdated, isReadySince, momentOf } from "./came-back.ts";
import { controlPlaneAgent, vipProgram, virtualUrl } from "./control-plane-programs.ts";
import { markAgain, markControlPlanes } from "./control-plane-role.ts";
import { applyDashboard } from "./dashboard-objects.ts";
import { endOthers } from "./end-others.ts";
import { haveSettled, makeInfrastructure } from "./infrastructure.ts";
import { KeptPrograms } from "./kept-programs.ts";
import { renamedKubeconfig } from "./kubeconfig.ts";
import { balancedRanges } from "./lan-pool.ts";
import type { Order } from "./order.ts";
import { applyParts } from "./parts.ts";
import { type DataPlaces, dataPlaces } from "./places.ts";
import {
  agentProgram,
  type Invitation,
  innerKubeconfig,
  type ProgramsOptions,
  serverUrl,
} from "./programs.ts";
import { startServers } from "./start-servers.ts";
import { topologyOf } from "./topology.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

export interface ClusterToRun extends Order {
  /** The listening socket on the machine's loopback. */
  readonly descriptor: number;
}

export interface Surroundings {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly log: Log;
  readonly progress: Progress;
  /** Connects as the administrator. */
  connect(kubeconfig: string): Promise<Connection>;
}

export interface Connection {
  readonly client: Client;
  /** The PEM certificate of the cluster's root. */
  readonly authority: string;
}

/** The bootstrap token is short-lived, since nodes join at once. */
const tokenMs = 10 * 60_000;
/** How often roles of control planes are looked after. */
const roleMs = 5000;

export class RunningCluster {
  readonly #cluster: ClusterToRun;
  readonly #around: Surroundings;
  readonly #places: DataPlaces;
  readonly #programs: KeptPrograms;
  #since = 0;
  #client: Client | undefined;

  constructor(cluster: ClusterToRun, around: Surroundings) {
    this.#cluster = cluster;
    this.#around = around;
    this.#places = dataPlaces(cluster.dataDir);
    this.#programs = new KeptPrograms({ ...around, places: this.#places });
  }

  /**
   * Starts the cluster. Resolves when every node is ready and the pods of the previous run are running again.
   */
  async start(signal: AbortSignal): Promise<void> {
    const { progress, commands, files, clock } = this.#around;
    const { settings } = this.#cluster;
    this.#since = momentOf(clock.now());
    const topology = topologyOf(settings);
    const options = { ...this.#cluster, topology };
    await files.makePrivateDirectory(this.#places.logs);
    await progress.step("network", () => buildTopology(topology, commands));
    const connection = await progress.step("API server", () => this.#startServer(options, signal));
    this.#client = connection.client;
    const nodes = settings.nodes === 1 ? "1 node" : `${settings.nodes} nodes`;
    // Nothing outside of the cluster can be reached from here, so that DNS has nobody to ask.
    const further = { balanced: balancedRanges(settings), hasUpstream: false };
    await applyParts(connection.client, { ...settings, ...further });
    if (settings.dashboard) await applyDashboard(connection.client, settings);
    await progress.step(nodes, () => this.#startNodes(options, connection, signal));
    await this.#podsAreBack(connection, signal);
  }

  /** Keeps what only an administrator can give to nodes, until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    const { settings } = this.#cluster;
    const { clock, log } = this.#around;
    const client = this.#client;
    if (!isHighlyAvailable(settings) || client === undefined) {
      if (!signal.aborted) await once(signal, "abort");
      return;
    }
    const names = topologyOf(settings).servers.map(({ name }) => name);
    while (!signal.aborted) {
      await pause(clock, roleMs, signal);
      try {
        if (!signal.aborted) await markAgain(client, names);
      } catch (error) {
        // The server may be away for a while.
        if (!(error instanceof ApiError)) throw error;
        log.debug("Cannot look after the roles of control planes", { error });
      }
    }
  }

  /** Stops the programs first, so that no agent starts the pods again. */
  async stop(): Promise<void> {
    await this.#programs.stop();
    await endOthers(this.#around.clock);
  }

  async #startServer(options: ProgramsOptions, signal: AbortSignal): Promise<Connection> {
    const { settings, port } = this.#cluster;
    const { files, commands } = this.#around;
    const parts = { programs: this.#programs, files, commands };
    const path = await startServers(options, parts, signal);
    const text = (await files.read(path)) ?? "";
    const url = `https://127.0.0.1:${port}`;
    await files.write(this.#places.kubeconfig, renamedKubeconfig(text, settings.name, url), {
      mode: 0o600,
    });
    return await this.#around.connect(path);
  }

  async #startNodes(
    options: ProgramsOptions,
    { client, authority }: Connection,
    signal: AbortSignal,
  ): Promise<void> {
    const { settings, topology } = options;
    const several = isHighlyAvailable(settings);
    const server = several ? virtualUrl(settings) : serverUrl(topology.servers[0]);
    const invitation = await this.#invite(client, { authority, server });
    const nodes = topology.nodes.map(({ name }) => name);
    if (several) {
      const { namesVips } = this.#cluster;
      await makeInfrastructure(client, settings, { namesVips });
      for (const host of topology.servers) {
        this.#programs.agent(controlPlaneAgent(host, options, invitation));
        this.#programs.service(vipProgram(host, options));
      }
      const servers = topology.servers.map(({ name }) => name);
      const marked = () => markControlPlanes(client, servers);
      const registered = "control planes have registered";
      await this.#programs.whileAgentsRun(this.#asked(registered, marked, signal));
      await this.#virtualAddressesAnswer(signal);
      const settled = async () =>
        (await haveSettled(client, settings, { since: this.#since, namesVips }))
          ? (true as const)
          : undefined;
      await this.#asked("one control plane holds the virtual addresses", settled, signal);
    }
    for (const node of topology.nodes) {
      if (topology.servers.includes(node)) continue;
      this.#programs.agent(agentProgram(node, options, invitation));
    }
    const ready = () => areReady(client, nodes, this.#since);
    const what = `${nodes.join(", ")} are ready`;
    await this.#programs.whileAgentsRun(this.#asked(what, ready, signal));
  }

  /** Waits until the pods of the previous run are running again. */
  async #podsAreBack({ client }: Connection, signal: AbortSignal): Promise<void> {
    const areBack = async () => {
      const { items } = await client.resource("v1", "Pod").list();
      return items.some((pod) => isOutdated(pod, this.#since)) ? undefined : true;
    };
    if ((await areBack()) === true) return;
    await this.#around.progress.step("pods", () => this.#asked("pods run again", areBack, signal));
  }

  async #virtualAddressesAnswer(signal: AbortSignal): Promise<void> {
    const { client } = await this.#around.connect(innerKubeconfig(this.#places));
    const answers = async () => {
      try {
        await client.resource("v1", "Namespace").get({ name: "default" });
        return true as const;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return undefined;
      }
    };
    try {
      await this.#asked("the API answers at its virtual addresses", answers, signal);
    } finally {
      client.transport.close();
    }
  }

  async #invite(
    client: Client,
    { authority, server }: { readonly authority: string; readonly server: string },
  ): Promise<Invitation> {
    const { clock } = this.#around;
    const expires = new Date(clock.now() + tokenMs);
    const { token, secret } = createBootstrapToken({ expires, description: "tandem up" });
    const { metadata, type, data } = secret;
    await client.resource("v1", "Secret").create({ metadata, type, data });
    return { server, token, authorityHash: publicKeyHash(new X509Certificate(authority)) };
  }

  /** Polls the server at intervals, since it is busy enough at the start. */
  async #asked(
    what: string,
    ask: () => Promise<true | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#programs.until(what, ask, { signal, pauseMs: 100 });
  }
}

async function areReady(
  client: Client,
  names: readonly string[],
  since: number,
): Promise<true | undefined> {
  const { items } = await client.resource("v1", "Node").list();
  const ready = items.filter((node) => isReadySince(node, since));
  const found = new Set(ready.map(({ metadata }) => metadata.name));
  return names.every((name) => found.has(name)) ? true : undefined;
}

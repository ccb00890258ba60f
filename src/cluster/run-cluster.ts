// What runs inside of the enclosure: makes the network, starts the programs and keeps them running.

import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { publicKeyHash } from "../agent/join/authority.ts";
import { createBootstrapToken } from "../apiserver/security/bootstrap-token.ts";
import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import type { Clock } from "../host/clock.ts";
import type { Commands } from "../host/command.ts";
import type { Files } from "../host/files.ts";
import type { Random } from "../host/random.ts";
import type { Log } from "../program/log.ts";
import type { Progress } from "../program/progress.ts";
import { buildTopology } from "./build-topology.ts";
import { isOutdated, isReadySince, momentOf } from "./came-back.ts";
import {
  controlPlaneAgent,
  controlPlaneServer,
  forwarderConfiguration,
  forwarderProgram,
  memberProgram,
  serverDirectory,
  vipProgram,
  virtualUrl,
} from "./control-plane-programs.ts";
import { applyDns } from "./dns-objects.ts";
import { endOthers } from "./end-others.ts";
import { etcdCertificates } from "./etcd-certificates.ts";
import { makeInfrastructure } from "./infrastructure.ts";
import { KeptProgram } from "./kept-program.ts";
import { renamedKubeconfig } from "./kubeconfig.ts";
import type { Order } from "./order.ts";
import { type DataPlaces, dataPlaces } from "./places.ts";
import {
  agentProgram,
  etcdProgram,
  type Invitation,
  innerKubeconfig,
  kubeconfigIn,
  type Program,
  type ProgramsOptions,
  serverProgram,
  serverUrl,
} from "./programs.ts";
import { topologyOf } from "./topology.ts";
import { type UntilOptions, until } from "./until.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

export interface ClusterToRun extends Order {
  /** The socket that listens on the machine's loopback. */
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
  /** PEM of the cluster's root. */
  readonly authority: string;
}

const patienceMs = 60_000;
/** Nodes join at once; who finds it later has no use for it. */
const tokenMs = 10 * 60_000;

export class RunningCluster {
  readonly #cluster: ClusterToRun;
  readonly #around: Surroundings;
  readonly #places: DataPlaces;
  readonly #programs: KeptProgram[] = [];
  readonly #agents: KeptProgram[] = [];
  #stateWritten = Promise.resolve();
  #since = 0;

  constructor(cluster: ClusterToRun, around: Surroundings) {
    this.#cluster = cluster;
    this.#around = around;
    this.#places = dataPlaces(cluster.dataDir);
  }

  /** Resolves when every node is ready, and pods of the run before are back. */
  async start(signal: AbortSignal): Promise<void> {
    const { progress, commands, files, clock } = this.#around;
    const { settings } = this.#cluster;
    this.#since = momentOf(clock.now());
    const topology = topologyOf(settings);
    const options = { ...this.#cluster, topology };
    await files.makePrivateDirectory(this.#places.logs);
    await progress.step("network", () => buildTopology(topology, commands));
    const connection = await progress.step("API server", () => this.#startServer(options, signal));
    const nodes = settings.nodes === 1 ? "1 node" : `${settings.nodes} nodes`;
    if (settings.dns) await applyDns(connection.client, settings);
    await progress.step(nodes, () => this.#startNodes(options, connection, signal));
    await this.#podsAreBack(connection, signal);
  }

  /** The last that was started goes first, and pods when nobody would start them again. */
  async stop(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop()));
    for (const program of this.#programs.toReversed()) await program.stop();
    await endOthers(this.#around.clock);
    await this.#stateWritten;
  }

  async #startServer(options: ProgramsOptions, signal: AbortSignal): Promise<Connection> {
    const { settings, port } = this.#cluster;
    const { files } = this.#around;
    await files.makePrivateDirectory(this.#places.server);
    const path = isHighlyAvailable(settings)
      ? await this.#startControlPlanes(options, signal)
      : await this.#startOnlyServer(options, signal);
    const text = (await files.read(path)) ?? "";
    const url = `https://127.0.0.1:${port}`;
    await files.write(this.#places.kubeconfig, renamedKubeconfig(text, settings.name, url), {
      mode: 0o600,
    });
    return await this.#around.connect(path);
  }

  /** Returns the path of the kubeconfig it has written. */
  async #startOnlyServer(options: ProgramsOptions, signal: AbortSignal): Promise<string> {
    if (options.settings.store === "etcd") await this.#startEtcd(etcdProgram(options), signal);
    const path = innerKubeconfig(this.#places);
    await this.#startServing(serverProgram(options), path, signal);
    return path;
  }

  /** The kubeconfig of the first is good before there are virtual addresses. */
  async #startControlPlanes(options: ProgramsOptions, signal: AbortSignal): Promise<string> {
    const { files } = this.#around;
    const { settings, topology } = options;
    const { servers } = topology;
    const secrets = await etcdCertificates(join(this.#places.etcd, "pki"), servers, files);
    const withSecrets = servers.flatMap((host) => {
      const own = secrets.get(host.name);
      return own === undefined ? [] : [{ host, own }];
    });
    await Promise.all(
      withSecrets.map(({ host, own }) =>
        this.#startEtcd(memberProgram(host, options, own), signal),
      ),
    );
    const kubeconfigs = await Promise.all(
      withSecrets.map(async ({ host, own }) => {
        const directory = serverDirectory(this.#places, host);
        await files.makePrivateDirectory(directory);
        const path = kubeconfigIn(directory);
        await this.#startServing(controlPlaneServer(host, options, own), path, signal);
        return path;
      }),
    );
    const [first = ""] = kubeconfigs;
    const inner = renamedKubeconfig(
      (await files.read(first)) ?? "",
      settings.name,
      virtualUrl(settings),
    );
    await files.write(innerKubeconfig(this.#places), inner, { mode: 0o600 });
    const configuration = join(this.#places.server, "forwarder.cfg");
    await files.write(configuration, forwarderConfiguration(options), { mode: 0o600 });
    this.#programs.push(this.#keep(forwarderProgram(configuration, options)));
    return first;
  }

  async #startServing(program: Program, kubeconfig: string, signal: AbortSignal): Promise<void> {
    const { files } = this.#around;
    await files.remove(kubeconfig);
    const server = this.#keep(program);
    this.#programs.push(server);
    const waiting = this.#waiting("the API server serves", signal);
    await server.during(until(() => files.read(kubeconfig), waiting));
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
      await makeInfrastructure(client, settings);
      for (const host of topology.servers) {
        this.#agents.push(this.#keep(controlPlaneAgent(host, options, invitation)));
        this.#programs.push(this.#keep(vipProgram(host, options)));
      }
      await this.#virtualAddressesAnswer(signal);
    }
    for (const node of topology.nodes) {
      if (topology.servers.includes(node)) continue;
      this.#agents.push(this.#keep(agentProgram(node, options, invitation)));
    }
    const waiting = this.#asking(`${nodes.join(", ")} are ready`, signal);
    const ready = until(() => areReady(client, nodes, this.#since), waiting);
    await Promise.race(this.#agents.map((agent) => agent.during(ready)));
  }

  /** Those of the run before are running again. */
  async #podsAreBack({ client }: Connection, signal: AbortSignal): Promise<void> {
    const areBack = async () => {
      const { items } = await client.resource("v1", "Pod").list();
      return items.some((pod) => isOutdated(pod, this.#since)) ? undefined : true;
    };
    if ((await areBack()) === true) return;
    await this.#around.progress.step("pods", () =>
      until(areBack, this.#asking("pods run again", signal)),
    );
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
      await until(answers, this.#asking("the API answers at its virtual addresses", signal));
    } finally {
      client.transport.close();
    }
  }

  async #startEtcd(program: Program, signal: AbortSignal): Promise<void> {
    const { commands } = this.#around;
    const { namespace = "" } = program;
    const etcd = this.#keep(program);
    this.#programs.push(etcd);
    const answers = async () => {
      const found = await commands.run(["ss", "-Hltn", "sport", "=", ":2379"], {
        namespace,
        signal,
      });
      return found.stdout === "" ? undefined : true;
    };
    await etcd.during(until(answers, this.#waiting("etcd answers", signal)));
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

  #waiting(what: string, signal: AbortSignal): UntilOptions {
    return { clock: this.#around.clock, limitMs: patienceMs, what, signal };
  }

  /** Every question is work for the server, which has enough of it at the start. */
  #asking(what: string, signal: AbortSignal): UntilOptions {
    return { ...this.#waiting(what, signal), pauseMs: 100 };
  }

  #keep(program: Program): KeptProgram {
    const { commands, clock, random, log } = this.#around;
    const logFile = join(this.#places.logs, `${program.name}.log`);
    const onChange = () => this.#writeState();
    return new KeptProgram(program, { commands, clock, random, log, logFile, onChange });
  }

  /** One after the other, so that the last one stays. */
  #writeState(): void {
    const { files, log } = this.#around;
    const text = JSON.stringify({ supervisor: process.pid, programs: this.#states() });
    this.#stateWritten = this.#stateWritten
      .then(() => files.write(this.#places.state, text, { mode: 0o600 }))
      .catch((error: unknown) => log.error("Cannot write the state", { error }));
  }

  #states() {
    return [...this.#programs, ...this.#agents].map(({ state }) => state);
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

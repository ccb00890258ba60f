// Starts the API servers of a cluster, and etcd if they store objects in it.

import { join } from "node:path";
import type { Commands } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import {
  controlPlaneServer,
  forwarderConfiguration,
  forwarderProgram,
  memberProgram,
  serverDirectory,
  virtualUrl,
} from "./control-plane-programs.ts";
import { etcdCertificates } from "./etcd-certificates.ts";
import type { KeptPrograms } from "./kept-programs.ts";
import { renamedKubeconfig } from "./kubeconfig.ts";
import { type DataPlaces, dataPlaces } from "./places.ts";
import {
  etcdProgram,
  innerKubeconfig,
  kubeconfigIn,
  type Program,
  type ProgramsOptions,
  serverProgram,
} from "./programs.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

export interface ServersParts {
  readonly programs: KeptPrograms;
  readonly files: Files;
  readonly commands: Commands;
}

/** Starts the servers. Returns the path of a kubeconfig that is valid as soon as they serve. */
export async function startServers(
  options: ProgramsOptions,
  parts: ServersParts,
  signal: AbortSignal,
): Promise<string> {
  const start = new ServersStart(options, parts, signal);
  await parts.files.makePrivateDirectory(dataPlaces(options.dataDir).server);
  return isHighlyAvailable(options.settings) ? await start.several() : await start.one();
}

class ServersStart {
  readonly #options: ProgramsOptions;
  readonly #parts: ServersParts;
  readonly #places: DataPlaces;
  readonly #signal: AbortSignal;

  constructor(options: ProgramsOptions, parts: ServersParts, signal: AbortSignal) {
    this.#options = options;
    this.#parts = parts;
    this.#places = dataPlaces(options.dataDir);
    this.#signal = signal;
  }

  async one(): Promise<string> {
    const options = this.#options;
    if (options.settings.store === "etcd") await this.#startEtcd(etcdProgram(options));
    const path = innerKubeconfig(this.#places);
    await this.#startServing(serverProgram(options), path);
    return path;
  }

  /** Starts several servers. The kubeconfig of the first one works before there are virtual addresses. */
  async several(): Promise<string> {
    const options = this.#options;
    const { files, programs } = this.#parts;
    const { servers } = options.topology;
    const secrets = await etcdCertificates(join(this.#places.etcd, "pki"), servers, files);
    const hosts = servers.flatMap((host) => {
      const own = secrets.get(host.name);
      return own === undefined ? [] : [{ host, own }];
    });
    await Promise.all(
      hosts.map(({ host, own }) => this.#startEtcd(memberProgram(host, options, own))),
    );
    const kubeconfigs = await Promise.all(
      hosts.map(async ({ host, own }) => {
        const directory = serverDirectory(this.#places, host);
        await files.makePrivateDirectory(directory);
        const path = kubeconfigIn(directory);
        await this.#startServing(controlPlaneServer(host, options, own), path);
        return path;
      }),
    );
    const [first = ""] = kubeconfigs;
    const text = (await files.read(first)) ?? "";
    const { settings } = options;
    const inner = renamedKubeconfig(text, settings.name, virtualUrl(settings));
    await files.write(innerKubeconfig(this.#places), inner, { mode: 0o600 });
    const configuration = join(this.#places.server, "forwarder.cfg");
    await files.write(configuration, forwarderConfiguration(options), { mode: 0o600 });
    programs.service(forwarderProgram(configuration, options));
    return first;
  }

  async #startServing(program: Program, kubeconfig: string): Promise<void> {
    const { files, programs } = this.#parts;
    await files.remove(kubeconfig);
    const server = programs.service(program);
    const signal = this.#signal;
    await server.during(
      programs.until("the API server serves", () => files.read(kubeconfig), { signal }),
    );
  }

  async #startEtcd(program: Program): Promise<void> {
    const { commands, programs } = this.#parts;
    const { namespace = "" } = program;
    const etcd = programs.service(program);
    const signal = this.#signal;
    const listeners = ["ss", "-Hltn", "sport", "=", ":2379"];
    const answers = async () => {
      const { stdout } = await commands.run(listeners, { namespace, signal });
      return stdout === "" ? undefined : true;
    };
    await etcd.during(programs.until("etcd answers", answers, { signal }));
  }
}

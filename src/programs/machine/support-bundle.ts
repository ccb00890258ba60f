// `tandem support-bundle`: what support asks for, in one file, without secrets.

import { dirname, join } from "node:path";
import type { Client } from "../../api/client/client.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import type { Commands } from "../../base/host/command.ts";
import { CommandError } from "../../base/host/error.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { describeError } from "../../base/program/errors.ts";
import { formatDocument } from "../../base/program/output.ts";
import { kubernetesVersion, version } from "../../base/program/version.ts";
import {
  describeCertificates,
  machineQuestions,
  redactObject,
  redactText,
  secretValues,
} from "../../inspect/support/support.ts";
import { machinePlaces, services, unitName } from "../../install/machine/machine.ts";
import { type ConnectOptions, connectToApi } from "../connect/connect.ts";

export interface BundleOptions extends ConnectOptions {
  readonly file: string;
  readonly since: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The kinds of objects that are collected, by version. */
const kinds: readonly (readonly [string, readonly string[]])[] = [
  ["v1", ["Node", "Namespace", "Pod", "Service", "Endpoints", "Event", "ConfigMap", "Secret"]],
  ["v1", ["ServiceAccount", "PersistentVolume", "PersistentVolumeClaim"]],
  ["apps/v1", ["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"]],
  ["batch/v1", ["Job", "CronJob"]],
  ["discovery.k8s.io/v1", ["EndpointSlice"]],
  [
    "networking.k8s.io/v1",
    ["NetworkPolicy", "Ingress", "IngressClass", "ServiceCIDR", "IPAddress"],
  ],
  ["coordination.k8s.io/v1", ["Lease"]],
  ["storage.k8s.io/v1", ["StorageClass"]],
  ["certificates.k8s.io/v1", ["CertificateSigningRequest"]],
];

/** Collects a bundle; returns what could not be collected. */
export async function collectBundle(
  options: BundleOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const commands = systemCommands();
  const bundle = new Bundle(commands, signal);
  const objects = await bundle.objects(options);
  await bundle.machine(options.since);
  await bundle.files();
  await bundle.write(options.file, objects);
  return bundle.missing;
}

class Bundle {
  readonly missing: string[] = [];
  readonly #texts = new Map<string, string>();
  #known: readonly string[] = [];
  readonly #commands: Commands;
  readonly #signal: AbortSignal;

  constructor(commands: Commands, signal: AbortSignal) {
    this.#commands = commands;
    this.#signal = signal;
  }

  /** Lists the objects of the cluster; returns how many there are of each kind. */
  async objects(options: BundleOptions): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    let client: Client | undefined;
    try {
      client = await connectToApi(options, { component: "tandem-support", env: options.env });
      const secrets = await client.resource("v1", "Secret").listAll({ signal: this.#signal });
      this.#known = secretValues(secrets.items);
      for (const [apiVersion, names] of kinds) {
        for (const kind of names) counts[kind] = await this.#list(client, apiVersion, kind);
      }
    } catch (error) {
      this.#lack("objects", error);
    } finally {
      client?.transport.close();
    }
    return counts;
  }

  async #list(client: Client, apiVersion: string, kind: string): Promise<number> {
    // The client types each kind; of these only what all have in common is used.
    const resource = client.resource(apiVersion as "v1", kind as "Pod");
    try {
      const { items } = await resource.listAll({ signal: this.#signal });
      const clean = items.map((item) => redactObject(kind, item));
      this.#texts.set(`objects/${kind}.yaml`, await formatDocument(clean, "yaml"));
      return items.length;
    } catch (error) {
      this.#lack(`objects of kind ${kind}`, error);
      return 0;
    }
  }

  async machine(since: string): Promise<void> {
    const journals = services.map((service) => {
      const unit = unitName(service);
      const words = ["journalctl", "--no-pager", "--output=short-iso", `--since=-${since}`];
      return [`logs/${unit}.log`, [...words, `--unit=${unit}`]] as const;
    });
    for (const [file, command] of [...Object.entries(machineQuestions), ...journals]) {
      this.#texts.set(file, await this.#ask(file, command));
    }
  }

  /** The configuration, and certificates in words. Of other files of ours nothing is read. */
  async files(): Promise<void> {
    for (const name of await systemFiles.list(machinePlaces.configuration)) {
      const text = await systemFiles.read(join(machinePlaces.configuration, name));
      if (text !== undefined) this.#texts.set(`configuration/${name}`, text);
    }
    let certificates = "";
    for (const directory of [
      join(machinePlaces.server, "pki"),
      machinePlaces.etcdPki,
      join(machinePlaces.agent, "identity"),
    ]) {
      for (const name of await systemFiles.list(directory)) {
        const path = join(directory, name);
        const pem = /\.(crt|pem)$/.test(name) ? await systemFiles.read(path) : undefined;
        certificates += describeCertificates(path, pem ?? "");
      }
    }
    this.#texts.set("certificates.txt", certificates);
  }

  async write(file: string, objects: Readonly<Record<string, number>>): Promise<void> {
    const about = { version, kubernetesVersion, time: new Date().toISOString(), objects };
    this.#texts.set(
      "about.json",
      await formatDocument({ ...about, missing: this.missing }, "json"),
    );
    const { stdout } = await this.#commands.run(["mktemp", "--directory"]);
    const scratch = stdout.trim();
    try {
      for (const [name, text] of this.#texts) {
        const path = join(scratch, "tandem-support", name);
        await systemFiles.makePrivateDirectory(dirname(path));
        await systemFiles.write(path, redactText(text, this.#known), { mode: 0o600 });
      }
      // The file is readable by its owner alone from the first byte on.
      await systemFiles.write(file, "", { mode: 0o600 });
      await this.#commands.run([
        "tar",
        "--create",
        "--gzip",
        `--file=${file}`,
        "-C",
        scratch,
        "tandem-support",
      ]);
    } finally {
      await this.#commands.run(["rm", "-rf", "--", scratch]);
    }
  }

  async #ask(file: string, command: readonly string[]): Promise<string> {
    try {
      const { stdout, stderr } = await this.#commands.run(command, { signal: this.#signal });
      return `${stdout}${stderr}`;
    } catch (error) {
      // Some programs exit with an error and tell nevertheless, such as `systemctl status` of a unit that failed.
      if (error instanceof CommandError && error.stdout !== "")
        return `${error.stdout}${error.stderr}`;
      this.#lack(file, error);
      return "";
    }
  }

  #lack(what: string, error: unknown): void {
    this.#signal.throwIfAborted();
    this.missing.push(`${what}: ${describeError(error)}`);
  }
}

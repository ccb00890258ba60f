import { join } from "node:path";
import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Certificate } from "../plan/certificate.ts";
import type { Plan } from "../plan/plan.ts";
import {
  certificatePath,
  type NginxSettings,
  type Rendered,
  renderNginx,
  temporaryDirectory,
} from "../render/nginx.ts";
import { createDefaultCertificate } from "./default-certificate.ts";
import type { IngressMetrics } from "./metrics.ts";
import { type Nginx, nginxCommand } from "./nginx.ts";

interface Options {
  readonly settings: NginxSettings;
  readonly commands: Commands;
  readonly files: Files;
  readonly clock: Clock;
  readonly nginx: Nginx;
  readonly metrics: IngressMetrics;
}

/** The error of a configuration that nginx refuses. */
export class ConfigurationRefused extends Error {
  override readonly name = "ConfigurationRefused";
  readonly reason = "ConfigurationRefused";
  /** The message of nginx. */
  readonly said: string;

  constructor(cause: CommandError) {
    const said = cause.stderr
      .split("\n")
      .find((line) => /\[(?:emerg|alert|crit|error)\]/.test(line));
    // The time and the process id are removed, so that the same error always has the same text.
    const text = (said ?? cause.stderr).replace(/^.*?\[\w+\] (?:\d+#\d+: )?/, "").trim();
    super(`Cannot use a new configuration: nginx says: ${text}`, { cause });
    this.said = text.replace(/ in \S+:\d+$/, "");
  }
}

/** The configuration files of nginx. If it refuses a new one, the last good one stays in force. */
export class Configuration {
  readonly #options: Options;
  #inForce: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  get isInForce(): boolean {
    return this.#inForce !== undefined;
  }

  /** Makes the directories, and the default certificate for hosts without one. */
  async prepare(): Promise<void> {
    const { settings, commands, files, clock } = this.#options;
    const { directory } = settings;
    // Mode 0711, since workers, which are not root, need to enter their temporary directory.
    const open = ["install", "-d", "-m", "0711", directory, temporaryDirectory(directory)];
    await commands.run(open);
    await files.makePrivateDirectory(this.#certificates);
    for (const each of [directory, this.#certificates]) await files.removeUnfinishedWrites(each);
    const path = certificatePath(directory);
    if ((await files.read(path)) !== undefined) return;
    const { pem } = await createDefaultCertificate(clock);
    await files.write(path, pem, { mode: 0o600 });
  }

  /** Serves the configuration of the previous run, until the cluster has been read. */
  async restore(): Promise<boolean> {
    const { files, nginx } = this.#options;
    const text = await files.read(this.#path);
    const id = /return 200 ([\da-f]{64});/.exec(text ?? "")?.[1];
    if (id === undefined) return false;
    await this.#test(this.#path);
    await nginx.startOrReload(id);
    this.#inForce = id;
    return true;
  }

  /** Applies a plan; returns whether anything changed. */
  async apply(plan: Plan): Promise<boolean> {
    const { settings, files, nginx, metrics, clock } = this.#options;
    const rendered = renderNginx(plan, settings);
    if (this.#inForce === rendered.id) return false;
    const begun = clock.monotonic();
    await this.#try(rendered, plan.certificates);
    await files.write(this.#path, rendered.text, { mode: 0o600 });
    await nginx.startOrReload(rendered.id);
    this.#inForce = rendered.id;
    metrics.reloads.increment();
    metrics.reloadTime.observe((clock.monotonic() - begun) / 1000);
    await this.#forget(plan.certificates);
    return true;
  }

  /** Tests a plan; throws if nginx would refuse it. */
  async check(plan: Plan): Promise<void> {
    await this.#try(renderNginx(plan, this.#options.settings), plan.certificates);
  }

  async #try({ text }: Rendered, certificates: readonly Certificate[]): Promise<void> {
    const { settings, files } = this.#options;
    for (const { name, pem } of certificates) {
      const path = certificatePath(settings.directory, name);
      if ((await files.read(path)) !== pem) await files.write(path, pem, { mode: 0o600 });
    }
    const candidate = `${this.#path}.candidate`;
    await files.write(candidate, text, { mode: 0o600 });
    try {
      await this.#test(candidate);
    } finally {
      await files.remove(candidate);
    }
  }

  async #test(path: string): Promise<void> {
    const { settings, commands, metrics } = this.#options;
    try {
      await commands.run([...nginxCommand(settings.directory, path), "-t", "-q"]);
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode === undefined) throw error;
      metrics.refusals.increment();
      throw new ConfigurationRefused(error);
    }
  }

  /** Removes unused certificates; workers that still serve them have them in memory. */
  async #forget(used: readonly Certificate[]): Promise<void> {
    const { files } = this.#options;
    const kept = new Set(["default.pem", ...used.map(({ name }) => `${name}.pem`)]);
    for (const name of await files.list(this.#certificates)) {
      if (!kept.has(name)) await files.remove(join(this.#certificates, name));
    }
  }

  get #path(): string {
    return join(this.#options.settings.directory, "nginx.conf");
  }

  get #certificates(): string {
    return join(this.#options.settings.directory, "certificates");
  }
}

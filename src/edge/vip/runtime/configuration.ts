import { join } from "node:path";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Nft } from "../../../base/host/nft.ts";
import { firewallTable } from "../render/firewall.ts";
import type { RenderedNode } from "../render/node.ts";
import type { VipMetrics } from "./metrics.ts";
import type { Program } from "./program.ts";
import { configurationPath, type ProgramName, testCommand } from "./programs.ts";

interface Options {
  readonly directory: string;
  readonly commands: Commands;
  readonly files: Files;
  readonly nft: Nft;
  readonly programs: Readonly<Record<ProgramName, Program>>;
  readonly metrics: VipMetrics;
  /** Removes the VIPs that keepalived has left on this node. */
  readonly releaseLeftovers: () => Promise<void>;
}

/** The error of a rendered configuration that its program refuses. */
export class ConfigurationRefused extends Error {
  override readonly name = "ConfigurationRefused";
  readonly reason = "ConfigurationRefused";

  constructor(program: ProgramName, cause: CommandError) {
    const said = (cause.stderr || cause.stdout).trim();
    super(`Cannot use a new configuration of ${program}: it says: ${said}`, { cause });
  }
}

/** A node's files, packet rules and programs. A refused configuration leaves the last good one in force. */
export class NodeConfiguration {
  readonly #options: Options;
  readonly #inForce = new Map<ProgramName | "firewall", string>();

  constructor(options: Options) {
    this.#options = options;
  }

  get isInForce(): boolean {
    return this.#inForce.size > 0;
  }

  /** Applies a rendered configuration; unchanged parts are left alone. */
  async apply(rendered: RenderedNode): Promise<void> {
    const { directory, files } = this.#options;
    if (rendered.keepalived === undefined) return this.withdraw();
    await files.makePrivateDirectory(directory);
    for (const { path, text: script } of rendered.checks.values()) {
      if ((await files.read(path)) !== script) await files.write(path, script, { mode: 0o755 });
    }
    await this.#applyFirewall(rendered.firewall);
    await this.#applyProgram("haproxy", rendered.haproxy);
    await this.#applyProgram("keepalived", rendered.keepalived);
  }

  /** Starts what was in force when this node last ran; returns whether there was anything. */
  async restore(): Promise<boolean> {
    const { directory, files, programs } = this.#options;
    await this.#applyFirewall(await files.read(this.#firewallPath));
    for (const program of ["haproxy", "keepalived"] as const) {
      const text = await files.read(configurationPath(directory, program));
      if (text === undefined) continue;
      await this.#test(program, configurationPath(directory, program));
      this.#inForce.set(program, text);
      await programs[program].startOrReload();
    }
    return this.#inForce.has("keepalived");
  }

  /** Removes everything; VIPs first, so that no client reaches a load balancer that is gone. */
  async withdraw(): Promise<void> {
    const { directory, files } = this.#options;
    await this.stop();
    for (const program of ["keepalived", "haproxy"] as const) {
      await files.remove(configurationPath(directory, program));
    }
    await files.remove(this.#firewallPath);
  }

  /** Stops the programs; their configurations stay for the next start. */
  async stop(): Promise<void> {
    const { programs, releaseLeftovers } = this.#options;
    await programs.keepalived.stop();
    // A keepalived that was too slow to stop has been killed, and leaves its VIPs behind.
    await releaseLeftovers();
    await programs.haproxy.stop();
    await this.#applyFirewall(undefined);
    this.#inForce.clear();
  }

  async #applyProgram(program: ProgramName, text: string | undefined): Promise<void> {
    const { directory, files, programs, metrics } = this.#options;
    const path = configurationPath(directory, program);
    if (text === undefined) {
      await programs[program].stop();
      await files.remove(path);
      this.#inForce.delete(program);
      return;
    }
    if (this.#inForce.get(program) === text) return;
    const candidate = `${path}.candidate`;
    await files.write(candidate, text);
    await this.#test(program, candidate);
    await files.write(path, text);
    await files.remove(candidate);
    await programs[program].startOrReload();
    this.#inForce.set(program, text);
    metrics.reloads.with(program).increment();
  }

  async #test(program: ProgramName, path: string): Promise<void> {
    try {
      await this.#options.commands.run(testCommand(program, path));
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode === undefined) throw error;
      this.#options.metrics.refusals.with(program).increment();
      throw new ConfigurationRefused(program, error);
    }
  }

  async #applyFirewall(script: string | undefined): Promise<void> {
    const { nft, files } = this.#options;
    if (this.#inForce.get("firewall") === script) return;
    if (script === undefined) {
      await nft.deleteTable(firewallTable);
      this.#inForce.delete("firewall");
      return;
    }
    await nft.apply(script);
    await files.write(this.#firewallPath, script);
    this.#inForce.set("firewall", script);
  }

  get #firewallPath(): string {
    return join(this.#options.directory, "firewall.nft");
  }
}

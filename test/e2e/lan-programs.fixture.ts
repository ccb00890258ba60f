// Programs on hosts of a LAN: an API server, kubectl to talk to it, and whatever else a test starts there.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import type { Lan, LanHost } from "../fixtures/lan.ts";

export const program = join(import.meta.dirname, "../../bin/tandem");
export const backendProgram = join(import.meta.dirname, "ingress-backend.ts");
const kubectlFetcher = join(import.meta.dirname, "../../tools/fetch-kubectl");
const patience = 60_000;

type ProgramHost = Pick<LanHost, "name" | "commands">;

export class LanPrograms implements AsyncDisposable {
  /** The output of the programs, each line after the name of its host. */
  readonly output: string[] = [];
  readonly kubeconfig: string;
  readonly #lan: Pick<Lan, "scratch">;
  /** The host of the API server and of kubectl. */
  readonly #host: ProgramHost;
  readonly #kubectlProgram: string;
  readonly #started = new AsyncDisposableStack();

  private constructor(lan: Pick<Lan, "scratch">, host: ProgramHost, kubectlProgram: string) {
    this.#lan = lan;
    this.#host = host;
    this.#kubectlProgram = kubectlProgram;
    this.kubeconfig = join(lan.scratch, "kubeconfig");
  }

  static async open(lan: Pick<Lan, "scratch">, host: ProgramHost): Promise<LanPrograms> {
    const fetched = await systemCommands().run([kubectlFetcher, "1.32"], { timeoutMs: 300_000 });
    return new LanPrograms(lan, host, fetched.stdout.trim());
  }

  /** Starts a program; resolves when it has printed the text `ready`, if given. */
  async start(host: ProgramHost, command: readonly string[], ready = ""): Promise<RunningCommand> {
    let isReady = ready === "";
    const running = await host.commands.start(command, {
      diesWithParent: true,
      graceMs: patience,
      onLine: (line) => {
        this.output.push(`${host.name}: ${line}`);
        isReady ||= line.includes(ready);
      },
    });
    this.#started.defer(async () => void (await running.stop()));
    await this.until(async () => isReady, `${command.join(" ")} is not ready`);
    return running;
  }

  startServer(listen: string, more: readonly string[] = []): Promise<RunningCommand> {
    const words = [
      `--data-dir=${join(this.#lan.scratch, "server")}`,
      `--kubeconfig-out=${this.kubeconfig}`,
      `--listen=${listen}:6443`,
      "--service-cidr=10.96.0.0/16,fd00:96::/112",
    ];
    return this.start(this.#host, [program, "server", ...words, ...more], "serving");
  }

  async kubectl(words: readonly string[], stdin?: object): Promise<string> {
    const { stdout } = await this.#host.commands.run([this.#kubectlProgram, ...words], {
      environment: { KUBECONFIG: this.kubeconfig, HOME: this.#lan.scratch },
      timeoutMs: patience,
      ...(stdin === undefined ? {} : { stdin: JSON.stringify(stdin) }),
    });
    return stdout;
  }

  async until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + patience;
    while (!(await isSo())) {
      if (Date.now() > deadline) {
        throw new Error(`Cannot wait any longer: ${what}\n${this.output.slice(-60).join("\n")}`);
      }
      await sleep(20);
    }
  }

  /** Stops all programs that were started. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync();
  }
}

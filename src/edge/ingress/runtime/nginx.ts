// Runs nginx as a child of this process: starts it, reloads it, and restarts it should it end.

import { request } from "node:http";
import { join } from "node:path";
import type { Clock, Timer } from "../../../base/host/clock.ts";
import type { CommandExit, Commands, RunningCommand } from "../../../base/host/command.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Log } from "../../../base/program/log.ts";
import { statusSocket } from "../render/nginx.ts";

export interface NginxOptions {
  readonly directory: string;
  readonly commands: Commands;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  /** The time that requests under way may last when nginx is stopped. */
  readonly drainMs: number;
  readonly onCrash: () => void;
}

const restartMs = 1_000;
const pollMs = 10;
/** The time that nginx may take to put a configuration into force. */
const patienceMs = 20_000;

export function nginxCommand(directory: string, file: string): readonly string[] {
  return ["nginx", "-p", directory, "-e", "stderr", "-c", file];
}

export class Nginx {
  readonly #options: NginxOptions;
  #running: RunningCommand | undefined;
  #starting: Promise<void> | undefined;
  #restart: Timer | undefined;
  #isWanted = false;

  constructor(options: NginxOptions) {
    this.#options = options;
  }

  /** Starts or reloads nginx; resolves when requests are served by the configuration that has this id. */
  async startOrReload(id: string): Promise<void> {
    const { commands } = this.#options;
    this.#isWanted = true;
    if (this.#running === undefined) await this.#start();
    else await commands.run(["kill", "-HUP", String(this.#running.pid)]);
    await this.#untilInForce(id);
  }

  /** Stops nginx: it stops listening at once, and finishes requests under way. */
  async stop(): Promise<void> {
    const { clock, drainMs } = this.#options;
    this.#isWanted = false;
    this.#restart?.cancel();
    const running = this.#running;
    if (running === undefined) return;
    running.kill("SIGQUIT");
    const timer = clock.setTimer(drainMs, () => void running.stop());
    await running.exited;
    timer.cancel();
  }

  /** Starts nginx once, also when a change comes while it is being restarted. */
  async #start(): Promise<void> {
    this.#restart?.cancel();
    this.#starting ??= this.#launch().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async #launch(): Promise<void> {
    const { directory, commands, files, log } = this.#options;
    // The socket may be a leftover of a configuration test or of an nginx that was killed.
    await files.remove(statusSocket(directory));
    const running = await commands.start(
      // SIGQUIT when this process is killed makes nginx end with its workers, which SIGKILL would leave
      // behind.
      ["setpriv", "--pdeathsig", "QUIT", "--"].concat(
        nginxCommand(directory, join(directory, "nginx.conf")),
        ["-g", "daemon off;"],
      ),
      {
        onLine: (line, stream) =>
          stream === "stdout" ? log.info(line) : log.warn("nginx says", { line }),
      },
    );
    this.#running = running;
    void running.exited.then((exit) => this.#ended(exit));
  }

  #ended(exit: CommandExit): void {
    const { clock, log, onCrash } = this.#options;
    this.#running = undefined;
    if (!this.#isWanted) return;
    log.error("nginx has ended by itself", { ...exit });
    onCrash();
    this.#restart = clock.setTimer(restartMs, () => {
      if (!this.#isWanted || this.#running !== undefined) return;
      this.#start().catch((error: unknown) => log.error("Cannot start nginx again", { error }));
    });
  }

  async #untilInForce(id: string): Promise<void> {
    const { clock, directory } = this.#options;
    const deadline = clock.monotonic() + patienceMs;
    let said = "";
    while (clock.monotonic() < deadline) {
      said = await ask(statusSocket(directory));
      if (said === id) return;
      await clock.sleep(pollMs);
    }
    throw new Error(`Cannot put configuration ${id} into force: nginx says ${said || "nothing"}`);
  }
}

/** The id of the configuration in force; empty if nginx does not answer. */
async function ask(socketPath: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const asking = request({ socketPath, path: "/configuration", agent: false, timeout: 1_000 });
  asking.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => resolve(text));
    response.on("error", () => resolve(""));
  });
  asking.on("timeout", () => asking.destroy());
  asking.on("error", () => resolve(""));
  asking.end();
  return promise;
}

import type { Clock, Timer } from "../../../base/host/clock.ts";
import type { CommandExit, Commands, RunningCommand } from "../../../base/host/command.ts";
import type { Log } from "../../../base/program/log.ts";

export interface ProgramOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** The signal that makes it reload its configuration; sent to the program alone, not to its children. */
  readonly reloadSignal: "HUP" | "USR2";
  readonly commands: Commands;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when it has ended unexpectedly, before it is started again. */
  readonly onCrash?: () => Promise<void>;
}

/** The delays before restarts of a program that keeps ending. */
const restartDelays = { firstMs: 50, longestMs: 5_000 };
/** The time after which a running program counts as healthy again. */
const goodAfterMs = 10_000;

/** A program that is kept running until it is stopped. It dies with this process. */
export class Program {
  readonly #options: ProgramOptions;
  readonly #log: Log;
  #running: RunningCommand | undefined;
  /** The recovery after a crash, which other operations wait for. */
  #recovery: Promise<void> = Promise.resolve();
  #restart: Timer | undefined;
  #isWanted = false;
  #startedAt = 0;
  #delayMs = restartDelays.firstMs;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#log = options.log.child({ program: options.name });
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Starts the program, or makes it reload its configuration. */
  async startOrReload(): Promise<void> {
    const { commands, reloadSignal } = this.#options;
    this.#isWanted = true;
    await this.#recovery;
    if (this.#running === undefined) return this.#start();
    await commands.run(["kill", `-${reloadSignal}`, String(this.#running.pid)]);
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    await this.#recovery;
    this.#restart?.cancel();
    await this.#running?.stop();
  }

  async #start(): Promise<void> {
    const { command, commands, clock } = this.#options;
    this.#restart?.cancel();
    this.#startedAt = clock.monotonic();
    const running = await commands.start(command, {
      diesWithParent: true,
      onLine: (line) => this.#log.debug(line),
    });
    this.#running = running;
    void this.#mind(running);
  }

  async #mind(running: RunningCommand): Promise<void> {
    const exit = await running.exited;
    this.#recovery = this.#ended(exit);
  }

  async #ended(exit: CommandExit): Promise<void> {
    const { clock, name, onCrash } = this.#options;
    this.#running = undefined;
    if (!this.#isWanted) return;
    this.#log.warn(`${name} has ended by itself`, { ...exit });
    try {
      await onCrash?.();
    } catch (error) {
      this.#log.error(`Cannot tidy up after ${name}`, { error });
    }
    const lived = clock.monotonic() - this.#startedAt;
    this.#delayMs =
      lived > goodAfterMs
        ? restartDelays.firstMs
        : Math.min(2 * this.#delayMs, restartDelays.longestMs);
    this.#startAfter(this.#delayMs);
  }

  #startAfter(ms: number): void {
    this.#restart = this.#options.clock.setTimer(ms, () => {
      this.#recovery = this.#startAgain();
    });
  }

  async #startAgain(): Promise<void> {
    if (!this.#isWanted || this.#running !== undefined) return;
    try {
      await this.#start();
    } catch (error) {
      this.#log.error(`Cannot start ${this.#options.name} again`, { error });
      this.#startAfter(restartDelays.longestMs);
    }
  }
}

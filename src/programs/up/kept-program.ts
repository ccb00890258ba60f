// Supervises one program: starts it again whenever it ends.

import { type BackOff, delayAfter } from "../../api/client/back-off.ts";
import { type Clock, pause } from "../../base/host/clock.ts";
import type { CommandExit, Commands, RunningCommand } from "../../base/host/command.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import { LogFile } from "./log-file.ts";
import type { Program } from "./programs.ts";

export interface ProgramState {
  readonly name: string;
  /** The PID; 0 while the program waits to be started again. */
  readonly pid: number;
  readonly restarts: number;
  readonly lastExit?: CommandExit;
}

export interface KeepOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly logFile: string;
  onChange(): void;
}

const backOff: BackOff = { initialMs: 500, maximumMs: 10_000 };
/** A program that ran this long did not fail at its start, so that its back-off begins anew. */
const steadyMs = 5000;
/** The number of ends after which `during` gives up. */
const patience = 3;

export class KeptProgram {
  readonly #program: Program;
  readonly #options: KeepOptions;
  readonly #logFile: LogFile;
  readonly #stop = new AbortController();
  readonly #givenUp = Promise.withResolvers<never>();
  readonly #ended: Promise<void>;
  #running: RunningCommand | undefined;
  #state: ProgramState;

  constructor(program: Program, options: KeepOptions) {
    this.#program = program;
    this.#options = options;
    this.#logFile = new LogFile(options.logFile);
    this.#state = { name: program.name, pid: 0, restarts: 0 };
    this.#givenUp.promise.catch(() => undefined);
    this.#ended = this.#keep();
  }

  get state(): ProgramState {
    return this.#state;
  }

  /** Waits for work that needs the program; fails if the program ends again and again. */
  during<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#givenUp.promise]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running?.stop();
    await this.#ended;
    this.#logFile.close();
  }

  async #keep(): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      const started = clock.monotonic();
      const lastExit = await this.#runOnce();
      if (signal.aborted) return;
      failures = clock.monotonic() - started > steadyMs ? 1 : failures + 1;
      const delay = Math.round(delayAfter(failures, backOff, random));
      log.warn("a program has ended", { program: this.#program.name, ...lastExit, delay });
      const restarts = this.#state.restarts + 1;
      this.#change({ pid: 0, restarts, lastExit });
      if (restarts === patience) this.#givenUp.reject(this.#failure(lastExit));
      await pause(clock, delay, signal);
    }
  }

  async #runOnce(): Promise<CommandExit> {
    const { command, ...options } = this.#program;
    this.#running = await this.#options.commands.start(command, {
      ...options,
      onLine: (line) => this.#logFile.write(line),
    });
    this.#change({ pid: this.#running.pid });
    if (this.#stop.signal.aborted) return this.#running.stop();
    return this.#running.exited;
  }

  #change(part: Partial<ProgramState>): void {
    this.#state = { ...this.#state, ...part };
    this.#options.onChange();
  }

  #failure({ code, signal }: CommandExit): Error {
    const { name } = this.#program;
    const how = signal === undefined ? `with code ${code}` : `by ${signal}`;
    const state = `it ended ${patience} times, at last ${how}`;
    return new Error(`Cannot start ${name}: ${state}: ${this.#logFile.newest}`);
  }
}

// Supervises all programs of a cluster, and writes the file with their states.

import { join } from "node:path";
import type { Clock } from "../../base/host/clock.ts";
import type { Commands } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import type { Random } from "../../base/host/random.ts";
import { type UntilOptions, until } from "../../base/host/until.ts";
import type { Log } from "../../base/program/log.ts";
import { KeptProgram } from "./kept-program.ts";
import type { DataPlaces } from "./places.ts";
import type { Program } from "./programs.ts";

export interface KeptProgramsOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly log: Log;
  readonly places: DataPlaces;
}

/** The time limit of each step. */
const patienceMs = 120_000;

export class KeptPrograms {
  readonly #options: KeptProgramsOptions;
  readonly #services: KeptProgram[] = [];
  readonly #agents: KeptProgram[] = [];
  #stateWritten = Promise.resolve();

  constructor(options: KeptProgramsOptions) {
    this.#options = options;
  }

  /** Supervises a program that others need. Services stop in the reverse order of their start. */
  service(program: Program): KeptProgram {
    const kept = this.#keep(program);
    this.#services.push(kept);
    return kept;
  }

  agent(program: Program): KeptProgram {
    const kept = this.#keep(program);
    this.#agents.push(kept);
    return kept;
  }

  /** Stops the agents, then the services, the last started first. */
  async stop(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.stop()));
    for (const service of this.#services.toReversed()) await service.stop();
    await this.#stateWritten;
  }

  /** Waits for work that needs the agents; fails if one of them ends again and again. */
  async whileAgentsRun(work: Promise<unknown>): Promise<void> {
    await Promise.race(this.#agents.map((agent) => agent.during(work)));
  }

  async until<T>(
    what: string,
    ask: () => Promise<T | undefined>,
    options: Pick<UntilOptions, "signal" | "pauseMs">,
  ): Promise<T> {
    const { clock } = this.#options;
    return await until(ask, { clock, limitMs: patienceMs, what, ...options });
  }

  #keep(program: Program): KeptProgram {
    const { commands, clock, random, log, places } = this.#options;
    const logFile = join(places.logs, `${program.name}.log`);
    const onChange = () => this.#writeState();
    return new KeptProgram(program, { commands, clock, random, log, logFile, onChange });
  }

  /** Writes the states of all programs. Writes are queued, so that the newest state stays. */
  #writeState(): void {
    const { files, log, places } = this.#options;
    const programs = [...this.#services, ...this.#agents].map(({ state }) => state);
    const text = JSON.stringify({ supervisor: process.pid, programs });
    this.#stateWritten = this.#stateWritten
      .then(() => files.write(places.state, text, { mode: 0o600 }))
      .catch((error: unknown) => log.error("Cannot write the state", { error }));
  }
}

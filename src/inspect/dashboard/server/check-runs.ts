// Runs the connectivity check when a page asks for it, one at a time, and remembers how earlier runs went.

import type { Clock } from "../../../base/host/clock.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { CheckRun } from "../model/check-runs.ts";
import type { Actions, User } from "./ports.ts";
import { ToldKind } from "./told-kind.ts";

/** The most runs that are remembered. */
const mostRuns = 50;

export class CheckRuns {
  readonly kind: ToldKind<CheckRun>;
  readonly #user: User;
  readonly #check: NonNullable<Actions["check"]>;
  readonly #clock: Clock;
  #number = 0;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(user: User, check: NonNullable<Actions["check"]>, clock: Clock) {
    this.#user = user;
    this.#check = check;
    this.#clock = clock;
    this.kind = new ToldKind("checks");
  }

  /** Begins a run; false if one is under way. */
  start(): boolean {
    if (this.#running !== undefined) return false;
    const stop = new AbortController();
    this.#running = { stop, ended: this.#run(stop.signal) };
    return true;
  }

  /** Breaks off the run that is under way, and waits until it has cleaned up. */
  async stop(): Promise<void> {
    this.#running?.stop.abort();
    await this.#running?.ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const number = ++this.#number;
    let run: CheckRun = { name: String(number), number, startedAt: this.#now() };
    const tell = (news: Partial<CheckRun>): void => {
      run = { ...run, ...news };
      this.kind.put(run);
    };
    tell({ step: "begins" });
    this.kind.remove(String(number - mostRuns));
    try {
      const progress = (step: string): void => tell({ step });
      const report = await this.#check(this.#user, { progress, signal });
      tell({ report, endedAt: this.#now() });
    } catch (error) {
      tell({ error: signal.aborted ? "stopped" : messageOf(error), endedAt: this.#now() });
    } finally {
      this.#running = undefined;
    }
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import type { VipUse } from "../cluster.ts";

interface Options {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly everyMs: number;
  /** The check scripts, which keepalived runs, too. */
  readonly scripts: () => ReadonlyMap<VipUse, string>;
  readonly changed: () => void;
}

/** Checks which uses this node cannot serve, for its report; keepalived checks for itself. */
export class SelfCheck {
  readonly name = "self-check";
  readonly #options: Options;
  #failing: readonly VipUse[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  get failing(): readonly VipUse[] {
    return this.#failing;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, scripts, changed } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal);
      const failing: VipUse[] = [];
      for (const [use, path] of scripts()) {
        if (!(await this.#succeeds(path, signal))) failing.push(use);
      }
      if (failing.join() === this.#failing.join()) continue;
      this.#failing = failing;
      changed();
    }
  }

  async #succeeds(path: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.commands.run([path], { timeoutMs: 2_000, signal });
      return true;
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
  }
}

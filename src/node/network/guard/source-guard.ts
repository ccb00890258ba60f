// Keeps the rules of the guard as the attachments of this node are. Writes that come while one is under way are
// one write after it.
import { HostError } from "../../../base/host/error.ts";
import type { Nft } from "../../../base/host/nft.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Attached } from "../cni/attached.ts";
import { guardedPorts } from "./ports.ts";
import { guardScript } from "./script.ts";

export interface SourceGuardOptions {
  readonly nft: Nft;
  readonly attached: () => Promise<readonly Attached[]>;
  readonly log: Log;
}

export class SourceGuard {
  readonly #options: SourceGuardOptions;
  /** The script that was applied last. */
  #script = "";
  #latest: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #isLacking = false;

  constructor(options: SourceGuardOptions) {
    this.#options = options;
  }

  /** Resolves when the rules are those of all attachments that there are now. */
  sync(): Promise<void> {
    this.#waiting ??= this.#latest.then(() => {
      this.#waiting = undefined;
      const write = this.#write();
      this.#latest = write.catch(() => undefined);
      return write;
    });
    return this.#waiting;
  }

  /** Writes the rules again, whatever somebody has made of them: one transaction, which changes nothing as a rule. */
  async restore(): Promise<void> {
    await this.#latest;
    this.#script = "";
    await this.sync();
  }

  async #write(): Promise<void> {
    const { nft, attached, log } = this.#options;
    const script = guardScript(guardedPorts(await attached()));
    if (script === this.#script || this.#isLacking) return;
    try {
      await nft.apply(script);
    } catch (error) {
      if (!isLacking(error)) throw error;
      this.#isLacking = true;
      log.warn("Pods may speak for others: this kernel has no rules for bridges", { error });
      return;
    }
    this.#script = script;
  }
}

/** Returns whether the kernel or its nft cannot do it at all, so that trying again is of no use. */
function isLacking(error: unknown): boolean {
  return (
    error instanceof HostError && ["not-supported", "not-found", "invalid"].includes(error.reason)
  );
}

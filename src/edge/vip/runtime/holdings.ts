import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Ip, LinkAddress } from "../../../base/host/ip.ts";
import type { Address } from "../../../base/net/address.ts";
import { families } from "../../../base/net/family.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Holding } from "./source.ts";

interface Options {
  readonly commands: Commands;
  readonly ip: Ip;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}

const retryMs = 1_000;

/** The VIPs that this node holds, and since when: read from the kernel, whatever keepalived thinks. */
export class Holdings {
  readonly name = "holdings";
  readonly #options: Options;
  readonly #since = new Map<string, Holding>();
  #vips: readonly Address[] = [];
  #addresses: readonly LinkAddress[] = [];
  #reading: Promise<void> | undefined;
  #isStale = false;

  constructor(options: Options) {
    this.#options = options;
  }

  get held(): readonly Holding[] {
    return [...this.#since.values()];
  }

  /** The addresses of all interfaces. */
  get addresses(): readonly LinkAddress[] {
    return this.#addresses;
  }

  async watch(vips: readonly Address[]): Promise<void> {
    this.#vips = vips;
    await this.refresh();
  }

  /** Reads the addresses anew; callers that come meanwhile wait for one more reading. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readWhileStale().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { commands, clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        const monitor = await commands.start(["ip", "-oneline", "monitor", "address"], {
          signal,
          diesWithParent: true,
          onLine: () => void this.#refreshOrLog(),
        });
        await this.#refreshOrLog();
        await monitor.exited;
      } catch (error) {
        if (!signal.aborted) log.warn("Cannot watch addresses", { error });
      }
      if (!signal.aborted) await clock.sleep(retryMs, signal);
    }
  }

  async #refreshOrLog(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.#options.log.warn("Cannot read addresses", { error });
    }
  }

  async #readWhileStale(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const lists = await Promise.all(families.map((one) => this.#options.ip.addresses(one)));
      this.#addresses = lists.flat();
      this.#compare();
    }
  }

  #compare(): void {
    const { clock, changed } = this.#options;
    let hasChanged = false;
    for (const [key, { vip }] of this.#since) {
      if (this.#holds(vip) && this.#vips.some((known) => known.equals(vip))) continue;
      this.#since.delete(key);
      hasChanged = true;
    }
    for (const vip of this.#vips) {
      if (this.#since.has(vip.toString()) || !this.#holds(vip)) continue;
      this.#since.set(vip.toString(), { vip, since: new Date(clock.now()) });
      hasChanged = true;
    }
    if (hasChanged) changed();
  }

  #holds(vip: Address): boolean {
    return this.#addresses.some(({ address }) => address.equals(vip));
  }
}

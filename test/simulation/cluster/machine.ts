// The links of one machine, as far as announcers use them. Addresses with a lifetime go by themselves, and outlive
// the process that added them.

import { FakeIp } from "../../../src/base/host/ip.fake.ts";
import { Address } from "../../../src/base/net/address.ts";
import { Prefix } from "../../../src/base/net/prefix.ts";
import type { Simulation } from "../simulation.ts";

export class Machine extends FakeIp {
  /** Whether the kernel removes addresses whose lifetime is over. */
  hasLifetimes = true;
  readonly #simulation: Simulation;
  /** The load balancer addresses, each with the time at which it goes. */
  readonly #held = new Map<string, number>();

  constructor(simulation: Simulation, number: number) {
    super();
    this.#simulation = simulation;
    this.shown.links = [
      {
        index: 2,
        name: "eth0",
        mtu: 1500,
        mac: `02:00:00:00:00:0${number}`,
        up: true,
        running: true,
      },
    ];
    this.shown.addresses = [
      {
        link: "eth0",
        address: Address.parse(`192.168.7.${number}`),
        prefix: Prefix.parse("192.168.7.0/24"),
        scope: "global",
        tentative: false,
        duplicate: false,
      },
    ];
  }

  get held(): readonly string[] {
    const now = this.#simulation.now;
    return [...this.#held].flatMap(([address, until]) => (until > now ? [address] : []));
  }

  override async batch(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const [, verb, address = "", seconds = "0"] =
        /^address (replace|delete) ([^/]+)\/\d+ dev eth0(?: valid_lft (\d+))?/.exec(line) ?? [];
      if (verb === "delete") this.#held.delete(address);
      else this.#held.set(address, this.#end(Number(seconds)));
    }
  }

  #end(seconds: number): number {
    return this.hasLifetimes ? this.#simulation.now + 1000 * seconds : Number.POSITIVE_INFINITY;
  }
}

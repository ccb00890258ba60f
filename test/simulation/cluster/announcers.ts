// Announcers of load balancer addresses: the real ones, on machines whose links are simulated.

import { Informers } from "../../../src/api/client/informer.ts";
import { FakeCommands } from "../../../src/base/host/command.fake.ts";
import { FakeNft } from "../../../src/base/host/nft.fake.ts";
import { Registry } from "../../../src/base/program/metrics.ts";
import { runAll } from "../../../src/base/program/run-all.ts";
import { Announcer } from "../../../src/edge/balancer/announce/announcer.ts";
import { Lost } from "../network.ts";
import type { Process } from "../process.ts";
import { Violation } from "../simulation.ts";
import type { World } from "../world.ts";
import { Machine } from "./machine.ts";
import { unlessLost } from "./users.ts";

const peerPort = 7946;
const addresses = ["192.168.7.200", "192.168.7.201"];
const patienceMs = 500;

export class Announcers {
  readonly #world: World;
  readonly #machines: readonly Machine[];
  /** The announcers that run, by the address at which their peers ask. */
  readonly #running = new Map<string, { process: Process; announcer: Announcer }>();

  constructor(world: World, count: number) {
    this.#world = world;
    this.#machines = Array.from({ length: count }, (_, index) => {
      const machine = new Machine(world.simulation, index + 1);
      world.planted.machine?.(machine);
      return machine;
    });
    world.simulation.fetch = (url) => this.#ask(new URL(url).host);
  }

  /** The program of the announcer on a machine. */
  program(number: number) {
    return async (process: Process): Promise<void> => {
      const informers = new Informers(process.settings);
      const announcer = new Announcer(
        {
          client: this.#world.clientOf(process),
          nodeName: `machine-${number}`,
          commands: new FakeCommands(),
          ip: this.#machines[number - 1] as Machine,
          nft: new FakeNft(),
          peerPort,
          ...process.settings,
          metrics: new Registry(),
        },
        informers,
      );
      this.#running.set(`192.168.7.${number}:${peerPort}`, { process, announcer });
      const following = { name: "informers", run: (stop: AbortSignal) => informers.run(stop) };
      await runAll([following, ...announcer.parts], new AbortController().signal);
    };
  }

  /** Creates the services whose addresses are announced. */
  async prepare(process: Process): Promise<void> {
    const services = this.#world.clientOf(process).resource("v1", "Service");
    for (const ip of addresses) {
      const place = { namespace: "default", name: `balanced-${ip.slice(-3)}` };
      const ports = [{ port: 80 }];
      await unlessLost(services.create({ metadata: place, spec: { type: "LoadBalancer", ports } }));
      const status = { loadBalancer: { ingress: [{ ip }] } };
      await unlessLost(services.patchStatus(place, { merge: { status } }));
    }
  }

  /** Throws unless each address is on exactly one machine; once quiet, it is. */
  check(): void {
    for (const address of addresses) {
      const holders = this.#machines.flatMap(({ held }, index) =>
        held.includes(address) ? [`machine-${index + 1}`] : [],
      );
      if (holders.length === 1) continue;
      const state = holders.length === 0 ? "nobody" : holders.join(" and ");
      throw new Violation(`${address} is held by ${state} though all is quiet`);
    }
  }

  async #ask(host: string): Promise<Response> {
    const { network, simulation } = this.#world;
    const asking = simulation.current;
    const peer = this.#running.get(host);
    if (peer === undefined) throw new Lost("unreachable");
    const late = asking.clock.sleep(patienceMs).then(() => {
      throw new Lost("cut");
    });
    const answered = network.call(asking, peer.process, async () => peer.announcer.isWitness);
    return new Response(null, { status: (await Promise.race([answered, late])) ? 200 : 503 });
  }
}

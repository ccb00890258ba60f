// The simulated cluster of one seed: which parts it has, and how processes are started, killed and connected.

import { Client } from "../../src/api/client/client.ts";
import type { Event } from "../../src/base/etcd/messages.ts";
import { FakeLocks } from "../../src/base/host/lock.fake.ts";
import { openEmbedded } from "../../src/control/store/embedded/open.system.ts";
import { EtcdStore } from "../../src/control/store/etcd/store.ts";
import type { Store } from "../../src/control/store/port.ts";
import { isUnavailable } from "../../src/control/store/store.ts";
import { Server } from "./cluster/server.ts";
import { SimulatedTransport } from "./cluster/transport.ts";
import { mount, simulatedDirectory } from "./disk-functions.ts";
import { Disk } from "./model/disk.ts";
import { ModelEtcd } from "./model/etcd.ts";
import { ModelEtcdClient } from "./model/etcd-client.ts";
import { Network } from "./network.ts";
import type { Planted } from "./planted.ts";
import { Process } from "./process.ts";
import { Reservations } from "./reservations.ts";
import type { Simulation } from "./simulation.ts";
import { Truth } from "./truth.ts";

export type StoreKind = "etcd" | "embedded";

const prefix = "/tandem";

export class World {
  readonly simulation: Simulation;
  readonly planted: Planted;
  readonly network: Network;
  readonly truth = new Truth();
  readonly reservations = new Reservations();
  readonly etcd = new ModelEtcd();
  readonly etcdProcess: Process;
  readonly storeKind: StoreKind;
  readonly disk: Disk;
  /** The probability that an event of a watch is delivered twice. */
  duplicates = 0;
  /** Whether faults happen. */
  isTroubled = true;
  readonly #servers = new Map<string, Server>();
  #incarnations = 0;

  constructor(simulation: Simulation, planted: Planted, storeKind: StoreKind) {
    this.simulation = simulation;
    this.planted = planted;
    this.storeKind = storeKind;
    this.network = new Network(simulation);
    this.etcdProcess = new Process(simulation, "etcd");
    this.disk = new Disk(simulation);
    planted.disk?.(this.disk);
    planted.etcd?.(this.etcd, simulation);
    mount(this.disk);
    this.etcd.onChange = (events) => this.#judge(() => this.#take(events));
  }

  get servers(): readonly Server[] {
    return [...this.#servers.values()];
  }

  clientOf(process: Process): Client {
    const { simulation, network, planted } = this;
    const transport = new SimulatedTransport({
      simulation,
      network,
      process,
      servers: () => this.servers,
      duplicates: () => this.duplicates,
    });
    const used = planted.transport?.(transport, process.name, simulation) ?? transport;
    return new Client(used, { fieldManager: process.name });
  }

  etcdClientOf(process: Process): ModelEtcdClient {
    const { simulation, network, etcd, etcdProcess: server } = this;
    return new ModelEtcdClient({ simulation, network, etcd, server, process });
  }

  /** A name that no process has had, for identities. */
  incarnation(name: string): string {
    this.#incarnations += 1;
    return `${name}-${this.#incarnations}`;
  }

  /** Runs a program again and again: each time it is killed, it starts anew after a while. */
  supervise(name: string, program: (process: Process) => Promise<void>): Supervised {
    const supervised = new Supervised(this, name, program);
    supervised.start();
    return supervised;
  }

  superviseServer(name: string): Supervised {
    return this.supervise(name, async (process) => {
      process.onDeath = () => {
        this.#servers.delete(name);
        this.crashDisk();
      };
      const server = await this.#openServer(process);
      if (process.isAlive) this.#servers.set(name, server);
    });
  }

  /** Opens a server; as a supervisor does, it tries again until the store can be reached. */
  async #openServer(process: Process): Promise<Server> {
    for (;;) {
      try {
        return await Server.open(process, await this.openStore(process));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await process.clock.sleep(500);
      }
    }
  }

  /** Takes the disk from a process that was killed, sometimes with the power. */
  crashDisk(): void {
    if (this.storeKind !== "embedded") return;
    this.disk.crash({ withPower: this.simulation.chance(0.5) });
  }

  async openStore(process: Process): Promise<Store> {
    const store =
      this.storeKind === "etcd" ? this.#openEtcd(process) : await this.#openEmbedded(process);
    return this.planted.store?.(store, this.simulation) ?? store;
  }

  #openEtcd(process: Process): Store {
    const { clock } = process;
    const client = this.etcdClientOf(process);
    this.planted.storeClient?.(client, this.etcd);
    return new EtcdStore({ client, prefix, clock });
  }

  async #openEmbedded(process: Process): Promise<Store> {
    const { clock } = process;
    const locks = new FakeLocks();
    const spareBytes = this.simulation.draw(1, 64) << 10;
    const store = await openEmbedded({ directory: simulatedDirectory, clock, locks, spareBytes });
    this.truth.clear();
    const { entries } = await store.list("/");
    for (const { key, value, modified } of entries) this.truth.put(key, value, modified);
    const commit = store.commit.bind(store);
    store.commit = async (transaction) => {
      const committed = await commit(transaction);
      if (!committed.ok || !process.isAlive) return committed;
      this.#judge(() => {
        for (const operation of transaction.operations) {
          if (operation.type === "delete") this.truth.delete(operation.key);
          else this.truth.put(operation.key, operation.value, committed.revision);
        }
      });
      return committed;
    };
    return store;
  }

  #take(events: readonly Event[]): void {
    this.reservations.change(events);
    for (const { type, kv } of events) {
      if (kv?.key.startsWith(`${prefix}/`) !== true) continue;
      const key = kv.key.slice(prefix.length);
      if (type === 1) this.truth.delete(key);
      else this.truth.put(key, kv.value, kv.modRevision);
    }
  }

  /** Takes note of a change; code under test must not see, and perhaps handle, that it is a violation. */
  #judge(take: () => void): void {
    try {
      take();
    } catch (error) {
      this.simulation.fail(error);
    }
  }
}

export class Supervised {
  readonly name: string;
  readonly #world: World;
  readonly #program: (process: Process) => Promise<void>;
  process: Process;
  #isOver = false;

  constructor(world: World, name: string, program: (process: Process) => Promise<void>) {
    this.name = name;
    this.#world = world;
    this.#program = program;
    this.process = new Process(world.simulation, name);
  }

  start(): void {
    const { process } = this;
    this.#world.simulation.start(process, () => this.#program(process));
  }

  /** Kills the program for good. */
  stop(): void {
    this.#isOver = true;
    this.process.kill();
    this.#world.network.drop(this.process);
  }

  /** Kills the program; another process of it starts after a while. */
  restart(pauseMs: number): void {
    const { simulation, network } = this.#world;
    const dead = this.process;
    if (!dead.isAlive) return;
    dead.kill();
    network.drop(dead);
    simulation.after(
      pauseMs,
      () => {
        if (this.#isOver) return;
        this.process = new Process(simulation, this.name);
        this.process.skewMs = dead.skewMs;
        this.start();
      },
      simulation.world,
    );
  }
}

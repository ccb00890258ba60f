// A node whose containers, images, networks and API are in memory; only files are real.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EventRecorder, type Remark } from "../../../api/client/events.ts";
import { Informers } from "../../../api/client/informer.ts";
import { FakeApi } from "../../../api/client/testing/api.ts";
import type { Pod } from "../../../api/types/core.ts";
import { systemClock } from "../../../base/host/clock.system.ts";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { systemRandom } from "../../../base/host/random.system.ts";
import { Address } from "../../../base/net/address.ts";
import { createLog } from "../../../base/program/log.ts";
import { systemMachine } from "../machine.system.ts";
import { PodManager } from "../manager.ts";
import type { PodsOptions } from "../options.ts";
import { FakeContainers } from "./containers.fake.ts";
import { FakeImages } from "./images.fake.ts";
import { FakeNetwork } from "./network.fake.ts";
import { FakeSandboxes } from "./sandboxes.fake.ts";

const patienceMs = 30_000;

export class TestNode implements AsyncDisposable {
  readonly api = new FakeApi();
  readonly pods = this.api.client.resource("v1", "Pod");
  readonly containers: FakeContainers;
  readonly images = new FakeImages();
  readonly network = new FakeNetwork();
  readonly sandboxes = new FakeSandboxes(this.network);
  readonly remarks: Remark[] = [];
  readonly lines: string[] = [];
  readonly directory: string;
  readonly #options: Partial<PodsOptions>;
  #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #manager: PodManager | undefined;

  private constructor(directory: string, options: Partial<PodsOptions>) {
    this.directory = directory;
    this.#options = options;
    this.containers = new FakeContainers(options.clock ?? systemClock);
  }

  static async open(options: Partial<PodsOptions> = {}): Promise<TestNode> {
    const node = new TestNode(await mkdtemp(join(tmpdir(), "tandem-pods-")), options);
    node.start();
    return node;
  }

  get manager(): PodManager {
    if (this.#manager === undefined) throw new Error("Cannot ask the manager: it does not run");
    return this.#manager;
  }

  /** Starts the agent, again after it was stopped. */
  start(): void {
    const { api, containers, images, network, directory } = this;
    const clock = systemClock;
    const random = systemRandom;
    const log = createLog({
      format: "text",
      level: "info",
      write: (line) => this.lines.push(line),
    });
    const informers = new Informers({ clock, random, log });
    const { client } = api;
    const events = client.resource("v1", "Event");
    const recorder = new EventRecorder({ events, component: "tandem-agent", clock, random, log });
    recorder.record = (_, remark) => this.remarks.push(remark);
    const options: PodsOptions = {
      node: "node-a",
      client,
      informers,
      recorder,
      containers,
      images,
      network,
      commands: new FakeCommands(),
      clock,
      random,
      log,
      directories: {
        run: join(directory, "run"),
        data: join(directory, "data"),
        logs: join(directory, "logs"),
        manifests: join(directory, "manifests"),
      },
      hostAddresses: [Address.parse("192.0.2.1"), Address.parse("2001:db8::1")],
      firstFamily: "IPv6",
      dns: { servers: [Address.parse("10.96.0.10")], domain: "cluster.local" },
      restarts: { initialMs: 40, maximumMs: 200, resetMs: 60_000 },
      ...this.#options,
    };
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#manager = new PodManager(options, {
      sandboxes: this.sandboxes,
      machine: systemMachine(options.commands),
    });
    this.#running = Promise.all([informers.run(signal), this.#manager.run(signal)]);
    // A failure reaches the caller of `stop`; until then it only stops the other part.
    this.#running.catch(() => this.#stop.abort());
  }

  /** Stops the agent in an orderly way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async create(pod: Pod): Promise<Pod> {
    const { uid: _, ...metadata } = pod.metadata;
    return this.pods.create({ ...pod, metadata });
  }

  get(name: string): Promise<Pod> {
    return this.pods.get({ namespace: "default", name });
  }

  /** Resolves to the pod as soon as the predicate holds. */
  until(name: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
    return this.eventually(async () => {
      const pod = await this.get(name);
      return isSo(pod) ? pod : undefined;
    }, name);
  }

  async eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    const end = systemClock.monotonic() + patienceMs;
    while (systemClock.monotonic() < end) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(10);
    }
    const said = JSON.stringify([this.remarks, this.lines], null, 1);
    throw new Error(`Cannot wait any longer for ${what}: ${said}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

export function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some((each) => each.type === "Ready" && each.status === "True");
}

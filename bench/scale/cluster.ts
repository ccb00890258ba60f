// A cluster of a real server process, a real store and hollow nodes.

import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectByKubeconfig } from "../../examples/connect.ts";
import type { Client } from "../../src/api/client/client.ts";
import { defined } from "../../src/base/json/defined.ts";
import { startEtcd } from "../../test/fixtures/etcd.ts";
import { TestServer } from "../../test/fixtures/server.ts";
import type { HollowArguments, HollowReport } from "./hollow.ts";

export type StoreName = "embedded" | "etcd";

export interface ClusterOptions {
  readonly store: StoreName;
  readonly nodes: number;
  readonly watches: readonly string[];
  /** How long after its start a container is ready. */
  readonly readyMs: number;
}

/** How long a node may be silent before it is lost. */
export const graceSeconds = 12;
const script = new URL("./hollow.ts", import.meta.url).pathname;
const run = promisify(execFile);

export class ScaleCluster implements AsyncDisposable {
  readonly options: ClusterOptions;
  readonly client: Client;
  readonly server: TestServer;
  readonly #scope: AsyncDisposableStack;
  readonly #storePids: readonly number[];
  readonly #stores: readonly string[];
  #hollow: ChildProcess | undefined;

  private constructor(options: ClusterOptions, parts: Parts) {
    this.options = options;
    this.client = parts.client;
    this.server = parts.server;
    this.#scope = parts.scope;
    this.#storePids = parts.storePids;
    this.#stores = parts.stores;
  }

  static async start(options: ClusterOptions): Promise<ScaleCluster> {
    await using scope = new AsyncDisposableStack();
    const etcd = options.store === "etcd" ? scope.use(await startEtcd()) : undefined;
    const server = scope.use(
      await TestServer.start({
        serviceCidr: "10.96.0.0/12,fd00:96::/108",
        ...defined({ store: etcd?.storeUrl("/scale") }),
        arguments: [
          "--cluster-cidr=100.64.0.0/10,fd00:64::/40",
          `--node-monitor-grace-period=${graceSeconds}s`,
        ],
      }),
    );
    const { client } = await connectByKubeconfig("bench-scale", server.kubeconfig);
    scope.defer(() => client.transport.close());
    const members = etcd?.members ?? [];
    const stores =
      etcd === undefined
        ? [join(server.directory, "data")]
        : members.map(({ directory }) => directory);
    const storePids = members.map(({ pid }) => pid);
    return new ScaleCluster(options, { client, server, scope: scope.move(), storePids, stores });
  }

  get serverPids(): readonly number[] {
    return [this.server.pid];
  }

  get storePids(): readonly number[] {
    return this.#storePids;
  }

  get hollowPids(): readonly number[] {
    return this.#hollow?.pid === undefined ? [] : [this.#hollow.pid];
  }

  /** Starts hollow nodes, all of them in one process. */
  startNodes(): void {
    this.#hollow = this.startHollow({ nodes: this.options.nodes, first: 0 });
  }

  /** Starts further hollow nodes in a process of its own, which ends with the cluster. */
  startHollow({ nodes, first }: Pick<HollowArguments, "nodes" | "first">): ChildProcess {
    const { watches, readyMs } = this.options;
    const given: HollowArguments = {
      kubeconfig: this.server.kubeconfig,
      dataDir: join(this.server.directory, `hollow-${first}`),
      nodes,
      first,
      seed: 1,
      readyMs,
      watches,
    };
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const child = fork(script, [JSON.stringify(given)], { env });
    this.#scope.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    });
    return child;
  }

  /** Asks the hollow nodes what they have seen. */
  async report(): Promise<HollowReport> {
    const child = this.#hollow;
    if (child === undefined) throw new Error("Cannot ask hollow nodes: they do not run");
    const answered = once(child, "message") as Promise<[HollowReport]>;
    child.send("report");
    return (await answered)[0];
  }

  /** The size of the store on disk. */
  async storeBytes(): Promise<number> {
    const { stdout } = await run("du", ["--bytes", "--summarize", "--total", ...this.#stores]);
    return Number(/^(\d+)\ttotal$/m.exec(stdout)?.[1] ?? 0);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope.disposeAsync();
  }
}

interface Parts {
  readonly client: Client;
  readonly server: TestServer;
  readonly scope: AsyncDisposableStack;
  readonly storePids: readonly number[];
  readonly stores: readonly string[];
}

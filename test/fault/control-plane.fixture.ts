// Control planes of a cluster that are lost, and writes through its virtual addresses meanwhile.

import { readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { families } from "../../src/base/net/family.ts";
import { hostPort } from "../../src/base/net/host-port.ts";
import { namespacePath } from "../../src/programs/up/build-topology.ts";
import {
  enter,
  type FoundCluster,
  findCluster,
  fromOutside,
} from "../../src/programs/up/find-cluster.ts";
import { clusterMachine } from "../../src/programs/up/machine.ts";
import { kill, processesAround } from "../../src/programs/up/processes.ts";
import { hostPorts } from "../../src/programs/up/programs.ts";
import type { ClusterHost } from "../../src/programs/up/topology.ts";
import type { TestCluster } from "../e2e/cluster.fixture.ts";
import type { WriteOutcome, WriterOptions } from "./control-plane-writer.ts";

/** Of every process inside of the enclosure the first is in the router's network. */
const routerNetwork = "/proc/1/ns/net";
const outcomesThatCount = 10;

export class ControlPlanes {
  readonly #cluster: TestCluster;
  readonly #found: FoundCluster;

  private constructor(cluster: TestCluster, found: FoundCluster) {
    this.#cluster = cluster;
    this.#found = found;
  }

  static async of(cluster: TestCluster): Promise<ControlPlanes> {
    return new ControlPlanes(
      cluster,
      await findCluster(await clusterMachine(process.env), cluster.name),
    );
  }

  get hosts(): readonly ClusterHost[] {
    return this.#found.topology.servers;
  }

  /** The API's virtual addresses, by family. */
  get servers(): Readonly<Record<string, string>> {
    const { apiVips } = this.#found.settings;
    return Object.fromEntries(apiVips.map((vip) => [vip.family, `https://${hostPort(vip, 6443)}`]));
  }

  /** As if its power was gone: nobody hears of it again, and nothing of it runs on. */
  async lose(host: ClusterHost): Promise<void> {
    await this.#setLink(host, "down");
    const { ino } = await stat(fromOutside(this.#found, namespacePath(host)));
    for (const { pid } of await processesAround(this.#found.init)) {
      if ((await networkOf(pid)) === `net:[${ino}]`) kill(pid, "SIGKILL");
    }
  }

  async recover(host: ClusterHost): Promise<void> {
    await this.#setLink(host, "up");
  }

  /** Resolves to the one that alone holds all of the API's virtual addresses. */
  async holder(): Promise<ClusterHost> {
    const { apiVips } = this.#found.settings;
    return await this.#cluster.until("one control plane holds the pair", async () => {
      const held = await Promise.all(this.hosts.map((host) => this.#heldBy(host)));
      const holders = this.hosts.filter((_, index) => held[index] !== 0);
      const [holder] = holders;
      const holdsAll = held.includes(apiVips.length);
      return holders.length === 1 && holdsAll ? holder : undefined;
    });
  }

  /** Resolves when this one, which is the oldest, has them back. They stay there. */
  async haveSettled(oldest: ClusterHost): Promise<void> {
    await this.#cluster.until(`${oldest.name} holds the pair`, async () =>
      (await this.holder()) === oldest ? true : undefined,
    );
  }

  /** Resolves when every member of etcd takes writes and every API server is ready. */
  async areWell(): Promise<void> {
    const outside = this.#cluster.in("outside");
    for (const host of this.hosts) {
      const [address = ""] = hostPorts(host, 6443);
      const checks = [
        [
          "curl",
          "--fail",
          "--silent",
          "--insecure",
          "--max-time",
          "10",
          `https://${address}/readyz`,
        ],
        this.#etcdctl(host, "endpoint", "health"),
      ];
      for (const command of checks) {
        await this.#cluster.until(`${command[0]} finds ${host.name} well`, () =>
          unlessFailed(outside.run(command)),
        );
      }
    }
  }

  #etcdctl(host: ClusterHost, ...words: readonly string[]): readonly string[] {
    const pki = join(this.#cluster.directory, "data", "etcd", "pki");
    const [endpoint = ""] = hostPorts(host, 2379);
    return [
      "env",
      "ETCDCTL_API=3",
      "etcdctl",
      `--endpoints=https://${endpoint}`,
      `--cacert=${join(pki, "ca.crt")}`,
      `--cert=${join(pki, `${host.name}.crt`)}`,
      `--key=${join(pki, `${host.name}.key`)}`,
      ...words,
    ];
  }

  async #heldBy({ name }: ClusterHost): Promise<number> {
    const ip = systemIp(this.#cluster.in(name));
    const lists = await Promise.all(families.map((family) => ip.addresses(family)));
    const { apiVips } = this.#found.settings;
    return apiVips.filter((vip) => lists.flat().some(({ address }) => vip.equals(address))).length;
  }

  async #setLink({ name }: ClusterHost, state: "up" | "down"): Promise<void> {
    const machine = await clusterMachine(process.env);
    const way = enter(this.#found, machine, routerNetwork);
    await systemCommands().run([...way, "ip", "link", "set", name, state]);
  }
}

export interface WriteLoad extends AsyncDisposable {
  readonly outcomes: readonly WriteOutcome[];
  /** Resolves when writes of every family that began after this have been acknowledged. */
  goesOn(): Promise<void>;
  stop(): Promise<void>;
}

/** From the host outside, and by somebody who may do just that. */
export async function startWrites(
  cluster: TestCluster,
  { servers }: Pick<ControlPlanes, "servers">,
): Promise<WriteLoad> {
  const { kubectl } = cluster;
  await kubectl.run("create", "serviceaccount", "writer");
  await kubectl.run("create", "role", "writer", "--verb=create", "--resource=configmaps");
  await kubectl.run(
    "create",
    "rolebinding",
    "writer",
    "--role=writer",
    "--serviceaccount=default:writer",
  );
  const token = (await kubectl.run("create", "token", "writer")).trim();
  const kubeconfig = join(cluster.directory, "data", "server", "admin.kubeconfig");
  const options: WriterOptions = { kubeconfig, token, servers };
  const program = new URL("control-plane-writer.ts", import.meta.url).pathname;
  const outcomes: WriteOutcome[] = [];
  const complaints: string[] = [];
  const running = await cluster
    .in("outside")
    .start([process.execPath, program, JSON.stringify(options)], {
      diesWithParent: true,
      onLine: (line, stream) => {
        if (stream === "stdout") outcomes.push(JSON.parse(line) as WriteOutcome);
        else complaints.push(line);
      },
    });
  const ended = new AbortController();
  void running.exited.then(() => ended.abort());
  const goesOn = async () => {
    const before = outcomes.length;
    await cluster.until("writes of both families are acknowledged", async () => {
      if (ended.signal.aborted) throw new Error(`the writer has ended: ${complaints.join("\n")}`);
      const isAcknowledged = (family: string) =>
        outcomes.slice(before).filter((each) => each.family === family && !each.failure).length >=
        outcomesThatCount;
      return Object.keys(servers).every(isAcknowledged) ? true : undefined;
    });
  };
  const stop = async () => void (await running.stop());
  return { outcomes, goesOn, stop, [Symbol.asyncDispose]: stop };
}

async function networkOf(pid: number): Promise<string> {
  try {
    return await readlink(`/proc/${pid}/ns/net`);
  } catch (error) {
    // Others end while one looks.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

async function unlessFailed(asked: Promise<unknown>): Promise<true | undefined> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

// The processes of a cluster by component, those in pods among them.

import { readdir, readFile } from "node:fs/promises";
import { type FoundCluster, findCluster } from "../../src/programs/up/find-cluster.ts";
import { clusterMachine } from "../../src/programs/up/machine.ts";
import { kill } from "../../src/programs/up/processes.ts";
import type { TestCluster } from "../e2e/cluster.fixture.ts";

/**
 * The components that are killed, by what their command lines have in them. The IPAM daemon is a part of the
 * agent.
 */
const components = {
  nginx: /^nginx/,
  dns: /main\.ts dns /,
  ingress: /main\.ts ingress /,
  keepalived: /^keepalived /,
  haproxy: /^haproxy -W /,
  vip: /main\.ts vip run /,
  "agent with IPAM daemon": /main\.ts agent /,
  server: /main\.ts server /,
  etcd: /^etcd /,
} as const;

export type Component = keyof typeof components;

export const allComponents = Object.keys(components) as readonly Component[];

export class Victims {
  readonly #found: FoundCluster;

  private constructor(found: FoundCluster) {
    this.#found = found;
  }

  static async of({ name }: TestCluster): Promise<Victims> {
    return new Victims(await findCluster(await clusterMachine(process.env), name));
  }

  /** Kills one process of the component at random; returns its PID. */
  async strike(component: Component, random: () => number): Promise<number> {
    const pids = await this.of(component);
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid === undefined) throw new Error(`Cannot kill ${component}: it does not run`);
    kill(pid, "SIGKILL");
    return pid;
  }

  /** Returns the PIDs of a component's processes, as this machine sees them. */
  async of(component: Component): Promise<readonly number[]> {
    const all = await descendantsOf(this.#found.init);
    return all.filter(({ command }) => components[component].test(command)).map(({ pid }) => pid);
  }
}

interface Process {
  readonly pid: number;
  readonly command: string;
}

/** Returns the processes that descend from this one, in whatever namespace they are. */
async function descendantsOf(ancestor: number): Promise<readonly Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(describe));
  const byPid = new Map(found.filter((each) => each !== undefined).map((each) => [each.pid, each]));
  const descends = (pid: number): boolean => {
    const parent = byPid.get(pid)?.parent;
    return parent !== undefined && (parent === ancestor || descends(parent));
  };
  return [...byPid.values()].filter(({ pid, command }) => command !== "" && descends(pid));
}

async function describe(pid: number): Promise<(Process & { parent: number }) | undefined> {
  try {
    const [stat, command] = await Promise.all(
      ["stat", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8")),
    );
    const parent = Number((stat ?? "").slice((stat ?? "").lastIndexOf(")") + 2).split(" ")[1]);
    return { pid, parent, command: (command ?? "").replaceAll("\0", " ") };
  } catch (error) {
    // Processes end while they are read.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

// A whole cluster for a test, by `tandem up`, and ways to reach into it.
//
//   await withCluster({ nodes: 2, route: "vxlan" }, async (cluster) => {
//     await cluster.kubectl.pipe(pod, "apply", "-f", "-");
//     await cluster.in("outside").run(["curl", "http://192.168.111.11:8080"]);
//   });

import { randomUUID } from "node:crypto";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { Commands, RunOptions } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { enter, findCluster } from "../../src/programs/up/find-cluster.ts";
import { clusterMachine } from "../../src/programs/up/machine.ts";
import { networkOf } from "../../src/programs/up/network-of.ts";
import type { ClusterStatus } from "../../src/programs/up/status.ts";
import { Kubectl } from "../fixtures/kubectl.ts";

/** The flags of `tandem up`. */
export interface ClusterOptions {
  readonly nodes?: number;
  readonly podCidr?: string;
  readonly serviceCidr?: string;
  readonly nodeCidr?: string;
  readonly network?: string;
  readonly ipam?: string;
  readonly route?: string;
  readonly proxyMode?: string;
  readonly store?: string;
  readonly controlPlanes?: number;
  readonly apiVips?: string;
  readonly ingressVips?: string;
  readonly dns?: boolean;
  readonly ingress?: boolean;
  readonly dashboard?: boolean;
  readonly hostAccess?: boolean;
  readonly allowHostImage?: string;
  /** The user of the machine who runs the cluster; the one who runs the tests when not given. */
  readonly user?: number;
  /** The program to run in place of this clone's. */
  readonly program?: string;
}

export interface TestCluster {
  readonly name: string;
  readonly directory: string;
  readonly kubeconfig: string;
  /** The kubectl of the cluster, in the namespace `default`. */
  readonly kubectl: Kubectl;
  /** Runs `tandem` for this cluster; returns what it prints. */
  tandem(args: readonly string[], options?: RunOptions): Promise<string>;
  up(): Promise<string>;
  status(): Promise<ClusterStatus>;
  /** Returns commands in the network of a node, of a pod, of `server`, or of `outside`. */
  in(place: string): Commands;
  /** Returns the words before a command that is to run there, for callers that start it by other means. */
  wayInto(place: string): Promise<readonly string[]>;
  /** Polls until the answer is not undefined. */
  until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T>;
}

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const fetcher = new URL("../../tools/fetch-kubectl", import.meta.url).pathname;
const patience = 90_000;
const pause = 100;
/** The timeout of a command: `tandem up` alone may wait two minutes for a step. */
const timeoutMs = 180_000;

/** Brings up a cluster for a test; it is down afterwards, also when the test fails. */
export async function withCluster<T>(
  options: ClusterOptions,
  use: (cluster: TestCluster) => Promise<T>,
): Promise<T> {
  await using cluster = await disposableCluster(options);
  await cluster.up();
  return await use(cluster);
}

export interface DisposableCluster extends TestCluster, AsyncDisposable {
  down(...flags: string[]): Promise<string>;
}

/** Prepares a cluster that is not up yet; disposing of it takes it down, whatever happened to it. */
export async function disposableCluster(options: ClusterOptions): Promise<DisposableCluster> {
  const cluster = await prepareCluster(options);
  const dataDir = `--data-dir=${join(cluster.directory, "data")}`;
  const down = (...flags: string[]) => cluster.tandem(["down", dataDir, ...flags]);
  return {
    ...cluster,
    down,
    [Symbol.asyncDispose]: async () => {
      await down();
      await rm(cluster.directory, { recursive: true, force: true });
    },
  };
}

/** Returns a check that a command failed with this message. */
export function says(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof CommandError && message.test(`${error.message} ${error.stderr}`);
}

/** Prepares a cluster that is not up yet. The caller takes it down. */
export async function prepareCluster(options: ClusterOptions): Promise<TestCluster> {
  const { user, program = launcher, ...flags } = options;
  const commands = systemCommands();
  const name = `e2e-${randomUUID().slice(0, 8)}`;
  const directory = await mkdtemp(join(tmpdir(), "tandem-e2e-"));
  if (user !== undefined) await chown(directory, user, user);
  const as = user === undefined ? [] : becoming(user, directory);
  const dataDir = join(directory, "data");
  const kubeconfig = join(dataDir, "kubeconfig");
  const { stdout } = await commands.run([fetcher, "1.32"], { timeoutMs: 300_000 });
  const kubectl = new Kubectl({
    program: stdout.trim(),
    kubeconfig,
    home: directory,
    namespace: "default",
  });
  const run = (args: readonly string[], more: RunOptions = {}) =>
    commands.run([...as, program, ...args], {
      timeoutMs,
      ...more,
      environment: { TANDEM_CLUSTER: name, ...more.environment },
    });
  const tandem: TestCluster["tandem"] = async (args, more) => (await run(args, more)).stdout;
  return {
    name,
    directory,
    kubeconfig,
    kubectl,
    tandem,
    up: () => tandem(["up", "--detach", `--data-dir=${dataDir}`, "--port=0", ...flagsOf(flags)]),
    status: async () => JSON.parse(await statusText(tandem)) as ClusterStatus,
    in: (place) => {
      const way = async (command: readonly string[]) =>
        user === undefined
          ? [...(await wayInto(name, place)), ...command]
          : [...as, program, "shell", `--name=${name}`, place, "--", ...command];
      return {
        run: async (command, more) => commands.run(await way(command), more),
        start: async (command, more) => commands.start(await way(command), more),
      };
    },
    wayInto: (place) => wayInto(name, place),
    until: (what, ask) => poll(what, ask),
  };
}

/** Returns the words that enter a place, as `tandem shell` does, without starting `tandem`. */
async function wayInto(name: string, place: string): Promise<readonly string[]> {
  const machine = await clusterMachine(process.env);
  const cluster = await findCluster(machine, name);
  return enter(cluster, machine, await networkOf(cluster, machine.files, place));
}

/** Returns the output of `tandem status`, also when it exits with 1 because something does not run. */
async function statusText(tandem: TestCluster["tandem"]): Promise<string> {
  try {
    return await tandem(["status", "--output=json"]);
  } catch (error) {
    if (error instanceof CommandError && error.stdout !== "") return error.stdout;
    throw error;
  }
}

async function poll<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patience} ms`);
    await sleep(pause);
  }
}

function becoming(user: number, home: string): readonly string[] {
  const identity = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--inh-caps=-all"];
  return ["setpriv", ...identity, "env", `HOME=${home}`, "XDG_RUNTIME_DIR="];
}

function flagsOf(flags: Omit<ClusterOptions, "user" | "program">): readonly string[] {
  return Object.entries(flags).map(([key, value]) => {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return `--${flag}=${value}`;
  });
}

// An API server and agents on a LAN, each in a network namespace, as on real machines. The server also
// listens on this machine's loopback, so that the test and kubectl reach it.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/api/client/client.ts";
import { connect } from "../../src/api/client/connect.ts";
import { loadAccess } from "../../src/api/client/kubeconfig/load.ts";
import type { Node } from "../../src/api/types/core.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { openContainers } from "../../src/node/runtime/containers.system.ts";
import { openImages } from "../../src/node/runtime/images/open.system.ts";
import { type LoopbackSocket, openLoopbackSocket } from "../../src/programs/up/loopback-socket.ts";
import { type Lan, type LanHost, openLan } from "../fixtures/lan.ts";
import { processesOf } from "./processes.fixture.ts";

export interface AgentCluster extends AsyncDisposable {
  readonly lan: Lan;
  readonly client: Client;
  /** The path of a kubeconfig for this machine. */
  readonly kubeconfig: string;
  /** The URL of the API server for machines on the LAN. */
  readonly url: string;
  readonly server: TestProgram;
  /** Runs `tandem` with these words on the server's host; returns what it prints. */
  tandem(...words: string[]): Promise<string>;
  /** Adds a host with an agent; resolves when its node is ready. */
  join(name: string, addresses: readonly string[], words?: readonly string[]): Promise<AgentNode>;
  /** Adds a host with an agent, without waiting until its node is ready. */
  begin(name: string, addresses: readonly string[], how?: AgentStart): Promise<AgentNode>;
  /** Kills a node's agent for good. */
  stop(name: string): Promise<void>;
}

export interface AgentStart {
  readonly words?: readonly string[];
  /** The words in front of the agent's command. */
  readonly under?: readonly string[];
}

export interface AgentNode {
  readonly host: LanHost;
  /** The addresses of the node, without prefix lengths. */
  readonly addresses: readonly string[];
  readonly runDir: string;
  readonly dataDir: string;
  readonly agent: TestProgram;
}

export interface TestProgram {
  /** Returns the output of the program, for messages of failing tests. */
  output(): string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const patienceMs = 60_000;

export interface AgentClusterOptions {
  readonly serviceCidr?: string;
  readonly clusterCidr?: string;
  readonly serverAddresses?: readonly string[];
  /** Further words for the server. */
  readonly serverWords?: readonly string[];
}

export async function openAgentCluster(options: AgentClusterOptions = {}): Promise<AgentCluster> {
  const {
    serviceCidr = "10.96.0.0/16,fd00:96::/112",
    clusterCidr = "10.244.0.0/16,fd00:10:244::/56",
    serverAddresses = ["192.0.2.100/24", "2001:db8::100/64"],
  } = options;
  await using opened = new AsyncDisposableStack();
  const lan = opened.use(await openLan());
  opened.defer(() => unmountBelow(lan.scratch));
  const programs: TestProgram[] = [];
  const agents = new Map<string, TestProgram>();
  const leftovers: string[] = [];
  opened.defer(async () => void (await Promise.all(leftovers.map(removeContainers))));
  opened.defer(async () => void (await Promise.all(programs.map((each) => each.kill()))));
  const run = async (host: LanHost, wanted: ProgramOptions) => {
    const started = await program(host, wanted);
    programs.push(started);
    return started;
  };
  const host = await lan.join("server", serverAddresses);
  const kubeconfig = join(lan.scratch, "kubeconfig");
  const inner = join(lan.scratch, "lan-kubeconfig");
  const url = urlOf(serverAddresses[0] ?? "");
  const words = [
    "server",
    `--data-dir=${join(lan.scratch, "server")}`,
    `--listen=${serverAddresses.map((each) => urlOf(each).slice("https://".length)).join(",")}`,
    "--listen-fd=3",
    `--service-cidr=${serviceCidr}`,
    `--cluster-cidr=${clusterCidr}`,
    `--kubeconfig-out=${inner}`,
    ...(options.serverWords ?? []),
  ];
  let port = 0;
  const socket = async () => {
    const listening = await openLoopbackSocket([port]);
    // The port stays the same when the server starts again.
    ({ port } = listening);
    return listening;
  };
  const server = await run(host, { words, socket });
  await until("a kubeconfig", server, async () => (await systemFiles.read(inner)) !== undefined);
  const text = (await systemFiles.read(inner)) ?? "";
  await systemFiles.write(kubeconfig, text.replace(url, `https://127.0.0.1:${port}`));
  const machine = { files: systemFiles, commands: systemCommands(), clock: systemClock };
  const access = await loadAccess({ ...machine, environment: {} }, { file: kubeconfig });
  const client = connect(access, {
    component: "test",
    clock: systemClock,
    random: systemRandom,
  });
  opened.defer(() => client.transport.close());
  await until("an answer", server, async () => {
    const { items } = await client.resource("v1", "Namespace").list();
    return items.length > 0;
  });
  const everything = opened.move();
  const begin: AgentCluster["begin"] = async (
    name,
    addresses,
    { words: more = [], under } = {},
  ) => {
    const node = await lan.join(name, addresses);
    const [dataDir, runDir] = [join(lan.scratch, name), join(lan.scratch, `${name}-run`)];
    leftovers.push(dataDir);
    const agent = await run(node, {
      under,
      words: [
        "agent",
        ...(more.some((word) => word.startsWith("--token")) ? [] : [`--kubeconfig=${inner}`]),
        `--node-name=${name}`,
        `--data-dir=${dataDir}`,
        `--run-dir=${runDir}`,
        "--cgroup-parent=",
        ...(more.some((word) => word.startsWith("--allow-host-image"))
          ? []
          : ["--allow-host-image=*"]),
        ...more,
      ],
    });
    agents.set(name, agent);
    const plain = addresses.map((each) => each.split("/")[0] ?? "");
    return { host: node, addresses: plain, runDir, dataDir, agent };
  };
  return {
    lan,
    client,
    kubeconfig,
    url,
    server,
    tandem: async (...args) =>
      (await host.commands.run([launcher, ...args], { environment: { KUBECONFIG: inner } })).stdout,
    stop: async (name) => await agents.get(name)?.kill(),
    begin,
    async join(name, addresses, more = []) {
      const node = await begin(name, addresses, { words: more });
      const { agent } = node;
      await until(`node ${name} ready`, agent, async () => isReady(await nodeNamed(client, name)));
      return node;
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}

/** Polls until the condition holds; fails with the program's output when it never does. */
export async function until(
  what: string,
  { output }: Pick<TestProgram, "output">,
  holds: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let trouble: unknown;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      trouble = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`Cannot wait any longer for ${what}:\n${output()}`, { cause: trouble });
    }
    await sleep(50);
  }
}

export async function nodeNamed(client: Client, name: string): Promise<Node | undefined> {
  const { items } = await client.resource("v1", "Node").list();
  return items.find(({ metadata }) => metadata.name === name);
}

export function isReady(node: Node | undefined): boolean {
  const { conditions = [] } = node?.status ?? {};
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** Removes all containers of an agent, which outlive it, and waits until their processes have ended. */
export async function removeContainers(dataDir: string): Promise<void> {
  const commands = systemCommands();
  const images = await openImages({ directory: join(dataDir, "images"), commands });
  const directory = join(dataDir, "containers");
  const containers = await openContainers({ directory, commands, images });
  for (const { id } of await containers.list()) await containers.remove(id);
  // The leftovers of containers that the agent was about to start when it was killed.
  await containers.collect();
  await containers.close();
  let left: readonly string[] = [];
  await until("programs to end", { output: () => left.join("\n") }, async () => {
    left = await processesOf(dataDir);
    return left.length === 0;
  });
}

/** Unmounts everything below a directory: namespaces and volumes of pods are mounts. */
async function unmountBelow(directory: string): Promise<void> {
  const text = (await systemFiles.read("/proc/self/mounts")) ?? "";
  const places = text.split("\n").map((line) => line.split(" ")[1] ?? "");
  const below = places.filter((place) => place.startsWith(`${directory}/`)).toReversed();
  // Namespaces of the LAN itself are removed with it.
  const pods = below.filter((place) => !place.startsWith(join(directory, "netns")));
  if (pods.length > 0) await systemCommands().run(["umount", "--lazy", ...pods]);
}

interface ProgramOptions {
  readonly words: readonly string[];
  readonly under?: readonly string[] | undefined;
  /** Opens a listening socket, which the program inherits as descriptor 3. */
  readonly socket?: () => Promise<LoopbackSocket>;
}

async function program(
  host: LanHost,
  { words, under = [], socket }: ProgramOptions,
): Promise<TestProgram> {
  const lines: string[] = [];
  let running: RunningCommand | undefined;
  const start = async () => {
    const inherited = await socket?.();
    try {
      running = await host.commands.start([...under, launcher, ...words], {
        diesWithParent: true,
        descriptors: inherited === undefined ? [] : [inherited.descriptor],
        onLine: (line) => void lines.push(line),
      });
    } finally {
      // The socket is closed in this process, which otherwise might accept connections.
      inherited?.close();
    }
    void tellOfFailure(running);
  };
  const tellOfFailure = async ({ exited }: RunningCommand): Promise<void> => {
    const { code = 0 } = await exited;
    if (code === 0) return;
    process.stderr.write(`${words[0]} of ${host.name} ended:\n${lines.slice(-20).join("\n")}\n`);
  };
  await start();
  return {
    start,
    output: () => lines.slice(-100).join("\n"),
    async kill() {
      running?.kill("SIGKILL");
      await running?.exited;
    },
  };
}

function urlOf(text: string): string {
  const [address = ""] = text.split("/");
  return `https://${address.includes(":") ? `[${address}]` : address}:6443`;
}

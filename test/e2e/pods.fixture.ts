// An API server and one node that runs real pods.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../src/api/client/client.ts";
import { isNotFound } from "../../src/api/client/errors.ts";
import type { ResourceClient } from "../../src/api/client/resource-client.ts";
import type { Container, Pod, PodSpec } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { openContainers } from "../../src/node/runtime/containers.system.ts";
import { openImages } from "../../src/node/runtime/images/open.system.ts";
import { parseEntry } from "../../src/node/runtime/log/entries.ts";
import {
  type AgentCluster,
  type AgentClusterOptions,
  type AgentNode,
  openAgentCluster,
  removeContainers,
  until,
} from "./agent.fixture.ts";

export interface PodNode extends AsyncDisposable {
  readonly cluster: AgentCluster;
  readonly node: AgentNode;
  readonly client: Client;
  readonly pods: ResourceClient<Pod>;
  create(name: string, parts: PodParts): Promise<Pod>;
  /** Waits until a pod is so, and returns it; `undefined` stands for a pod that is gone. */
  until(name: string, isSo: (pod: Pod | undefined) => boolean): Promise<Pod>;
  /** Creates a pod and waits until it is ready. */
  run(name: string, parts: PodParts): Promise<Pod>;
  /** Returns the lines that a container has printed, without their times. */
  log(name: string, container?: string): Promise<string>;
  /** Returns the lines of a container once they contain the text. */
  said(name: string, text: string): Promise<string>;
  /** Polls until the condition holds. */
  eventually(what: string, holds: () => Promise<boolean>): Promise<void>;
  /** Returns what pods have left on the node: directories, mounts, interfaces. */
  traces(): Promise<readonly string[]>;
}

export interface PodParts {
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly spec?: Partial<PodSpec>;
  /** The fields of the only container. */
  readonly container?: Partial<Container>;
  /** The shell script that the container runs. */
  readonly script?: string;
}

export interface PodNodeOptions extends AgentClusterOptions {
  /** Returns further words for the agent, which may refer to files in this directory. */
  readonly agentWords?: (scratch: string) => readonly string[];
}

export const hostImage = "tandem.internal/host";
const commands = systemCommands();

/** Returns a container of the host image that runs a script. */
export function scripted(name: string, script: string, more: Partial<Container> = {}): Container {
  return { name, image: hostImage, command: ["sh", "-c", script], ...more };
}

export async function openPodNode(options: PodNodeOptions = {}): Promise<PodNode> {
  const { agentWords = () => [], ...rest } = options;
  const cluster = await openAgentCluster(rest);
  try {
    const node = await joinPodNode(cluster, { words: agentWords(cluster.lan.scratch) });
    const dispose = async () => {
      await node[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    };
    return { ...node, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

interface JoinOptions {
  /** The last part of the node's addresses. */
  readonly number?: number;
  readonly words?: readonly string[];
}

export async function joinPodNode(
  cluster: AgentCluster,
  { number = 1, words = [] }: JoinOptions,
): Promise<PodNode> {
  const name = `node-${number}`;
  const addresses = [`192.0.2.${number}/24`, `2001:db8::${number}/64`];
  const node = await cluster.join(name, addresses, words);
  return podNode(cluster, node, async () => {
    await node.agent.kill();
    await clear(node);
  });
}

export function isReady(pod: Pod | undefined): boolean {
  const { conditions = [] } = pod?.status ?? {};
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function podNode(cluster: AgentCluster, node: AgentNode, dispose: () => Promise<void>): PodNode {
  const pods = cluster.client.resource("v1", "Pod");
  const get = (name: string) =>
    pods.get({ namespace: "default", name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const eventually = (what: string, holds: () => Promise<boolean>) =>
    until(what, node.agent, holds);
  const self: PodNode = {
    cluster,
    node,
    client: cluster.client,
    pods,
    eventually,
    create: (name, { metadata, spec, container, script = "exec sleep 1000" }) =>
      pods.create({
        metadata: { namespace: "default", name, ...metadata },
        spec: {
          nodeName: node.host.name,
          terminationGracePeriodSeconds: 1,
          containers: [scripted("main", script, container)],
          ...spec,
        },
      }),
    async until(name, isSo) {
      let found: Pod | undefined;
      try {
        await eventually(`pod ${name}`, async () => isSo((found = await get(name))));
      } catch (error) {
        const state = JSON.stringify(found?.status, undefined, 1);
        throw new Error(`Cannot wait any longer for pod ${name}: ${state}`, { cause: error });
      }
      return found ?? ({} as Pod);
    },
    async run(name, parts) {
      await self.create(name, parts);
      return self.until(name, isReady);
    },
    async log(name, container = "main") {
      const logs = join(node.dataDir, "logs");
      const [folder = ""] = (await readdir(logs)).filter((each) => each.includes(`_${name}_`));
      const files = (await readdir(join(logs, folder, container))).toSorted();
      const text = await readFile(join(logs, folder, container, files.at(-1) ?? ""), "utf8");
      // A line that was written in parts is in parts in the log, perhaps with lines of the other stream
      // between.
      const parts = { stdout: "", stderr: "" };
      return text
        .split("\n")
        .flatMap((line) => parseEntry(Buffer.from(`${line}\n`)) ?? [])
        .map(({ stream, text: said, isLineEnd }) => {
          const whole = `${parts[stream]}${said.toString()}`;
          parts[stream] = isLineEnd ? "" : whole;
          return isLineEnd ? whole : "";
        })
        .join("");
    },
    async said(name, text) {
      await eventually(`"${text}" from ${name}`, async () => (await self.log(name)).includes(text));
      return self.log(name);
    },
    async traces() {
      const run = await podFolders(node);
      const data = await readdir(join(node.dataDir, "pods/pods"));
      const logs = await readdir(join(node.dataDir, "logs"));
      const mounts = (await mountsBelow(join(node.runDir, "pods/pods"))).slice(1);
      const links = (await node.host.ip.links()).map(({ name }) => name);
      return [
        ...run,
        ...data,
        ...logs,
        ...mounts,
        ...links.filter((name) => name.startsWith("veth")),
      ];
    },
    [Symbol.asyncDispose]: dispose,
  };
  return self;
}

/** Lists the directories of pods' namespaces and secrets, named by the pods' uids. */
export function podFolders(node: AgentNode): Promise<string[]> {
  return readdir(join(node.runDir, "pods/pods"));
}

/**
 * Simulates a reboot of the node: all processes end, and the files that last only until a reboot are
 * gone.
 */
export async function reboot({ node }: PodNode): Promise<void> {
  const images = await openImages({ directory: join(node.dataDir, "images"), commands });
  const directory = join(node.dataDir, "containers");
  const containers = await openContainers({ directory, commands, images });
  for (const { id } of await containers.list()) await containers.kill(id, "SIGKILL");
  for (const { id } of await containers.list()) await containers.exited(id);
  await containers.close();
  await unmountBelow(node.runDir);
  await rm(node.runDir, { recursive: true, maxRetries: 20 });
}

/** Removes everything that a killed agent leaves, whose pods run on. */
async function clear({ dataDir, runDir }: AgentNode): Promise<void> {
  await removeContainers(dataDir);
  await unmountBelow(runDir);
}

async function unmountBelow(directory: string): Promise<void> {
  for (const path of (await mountsBelow(directory)).toReversed()) {
    await commands.run(["umount", "--lazy", path]);
  }
}

async function mountsBelow(directory: string): Promise<readonly string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  const paths = lines.map((line) => line.split(" ")[4] ?? "");
  return paths.filter((path) => path === directory || path.startsWith(`${directory}/`));
}

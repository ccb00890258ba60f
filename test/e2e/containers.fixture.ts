// Containers and images in directories of a test's own, on a disk, with a cgroup of their own.

import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { defined } from "../../src/base/json/defined.ts";
import { openContainers } from "../../src/node/runtime/containers.system.ts";
import { openImages } from "../../src/node/runtime/images/open.system.ts";
import { readLog } from "../../src/node/runtime/log.ts";
import { systemIdentity } from "../../src/node/runtime/machine/identity.system.ts";
import type {
  ContainerSession,
  ContainerSpec,
  ImageStore,
  LogLimits,
  NodeContainers,
} from "../../src/node/runtime/port.ts";
import type { AgentOptions } from "./containers-agent.fixture.ts";
import { processesOf } from "./processes.fixture.ts";

export const commands = systemCommands();

export const hostImage = "tandem.internal/host";

export interface Node extends AsyncDisposable {
  readonly directory: string;
  readonly images: ImageStore;
  readonly containers: NodeContainers;
  /** The options of another agent, in a process of its own. */
  readonly agentOptions: Omit<AgentOptions, "specs">;
  /** Opens another agent on the same directories. */
  reopen(logs?: LogLimits): Promise<NodeContainers>;
  /** Returns the spec of a container of the host image; the given fields count. */
  spec(given: Partial<ContainerSpec>): ContainerSpec;
  /** Returns the output of a container. */
  logOf(id: string): Promise<string>;
  /** Resolves once a container has printed the text. */
  said(id: string, text: string): Promise<void>;
  /** Returns the mount points that this process sees. */
  mounts(): Promise<readonly string[]>;
  /** Returns the directories of a container's cgroup. */
  cgroups(id: string): Promise<readonly string[]>;
  /** Returns what containers of this node have left: files, cgroups, processes; empty when all is gone. */
  traces(): Promise<readonly string[]>;
}

/** A directory of the machine that no container may see. */
export const secretDirectory = "/var/tmp";

export async function openNode(): Promise<Node> {
  const directory = await mkdtemp(
    join(process.env["TANDEM_TEST_DIRECTORY"] ?? tmpdir(), "tandem-node-"),
  );
  const { isRootless } = await systemIdentity();
  const cgroup = isRootless ? undefined : `/tandem-test-${randomUUID().slice(0, 8)}`;
  const images = await openImages({
    directory: join(directory, "images"),
    commands,
    builtIn: {
      echo: { program: join(programDirectory, "build/tandem-echo") },
      pause: { program: join(programDirectory, "build/tandem-sandbox") },
      host: { hidden: [secretDirectory] },
      tandem: { directory: programDirectory, hidden: [secretDirectory] },
    },
  });
  const opened: NodeContainers[] = [];
  const reopen = async (logs: LogLimits = {}): Promise<NodeContainers> => {
    const containers = await openContainers({
      directory: join(directory, "containers"),
      commands,
      images,
      logs,
      ...defined({ cgroup }),
    });
    opened.push(containers);
    return containers;
  };
  const containers = await reopen();
  const logPath = (id: string): string => join(directory, "logs", `${id}.log`);
  return {
    directory,
    images,
    containers,
    agentOptions: {
      images: join(directory, "images"),
      containers: join(directory, "containers"),
      ...defined({ cgroup }),
    },
    reopen,
    spec: (given) => {
      const id = given.id ?? `c-${randomUUID()}`;
      const labels = { podUid: "uid", podNamespace: "default", podName: "pod", container: id };
      return {
        id,
        labels: { ...labels, kind: "container", attempt: 0 },
        image: hostImage,
        environment: {},
        namespaces: {},
        mounts: [],
        logPath: logPath(id),
        ...given,
      };
    },
    async logOf(id) {
      return Buffer.concat(await Array.fromAsync(readLog(logPath(id)))).toString();
    },
    async said(id, text) {
      let heard = "";
      const follow = containers.exited(id);
      for await (const piece of readLog(logPath(id), { follow })) {
        heard += Buffer.from(piece).toString();
        if (heard.includes(text)) return;
      }
      throw new Error(`Cannot hear "${text}" of ${id}: it said only "${heard}"`);
    },
    async mounts() {
      const text = await readFile("/proc/self/mountinfo", "utf8");
      return text.split("\n").filter((line) => line.includes(directory));
    },
    async cgroups(id) {
      return cgroup === undefined ? [] : await cgroupDirectories(join(cgroup, id));
    },
    async traces() {
      const names = await Promise.all(
        ["containers", "exits", "runtime"].map((name) =>
          readdir(join(directory, "containers", name)),
        ),
      );
      return [...names.flat(), ...(await cgroupsOf(cgroup)), ...(await processesOf(directory))];
    },
    async [Symbol.asyncDispose]() {
      for (const { id } of await containers.list()) await containers.remove(id);
      await containers.collect();
      for (const each of opened) await each.close();
      await removeCgroup(cgroup);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const programDirectory = join(import.meta.dirname, "../..");

/** Waits until a session ends; returns its output and exit code. */
export async function finished(
  session: ContainerSession,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const text = async (stream: ContainerSession["stdout"] | undefined): Promise<string> =>
    stream === undefined ? "" : Buffer.concat(await Array.fromAsync(stream)).toString();
  const [code, stdout, stderr] = await Promise.all([
    session.exited,
    text(session.stdout),
    text(session.stderr),
  ]);
  return { code, stdout, stderr };
}

const hierarchies = "/sys/fs/cgroup";

async function cgroupsOf(cgroup: string | undefined): Promise<readonly string[]> {
  if (cgroup === undefined) return [];
  const found: string[] = [];
  for (const directory of await cgroupDirectories(cgroup)) {
    const entries = await readdir(directory, { withFileTypes: true });
    found.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
  }
  return found;
}

async function removeCgroup(cgroup: string | undefined): Promise<void> {
  if (cgroup === undefined) return;
  for (const directory of await cgroupDirectories(cgroup)) await rmdir(directory);
}

async function cgroupDirectories(cgroup: string): Promise<readonly string[]> {
  const roots = [
    hierarchies,
    ...(await readdir(hierarchies)).map((name) => join(hierarchies, name)),
  ];
  const found: string[] = [];
  for (const root of roots) {
    const path = join(root, cgroup);
    if (
      await readdir(path).then(
        () => true,
        () => false,
      )
    )
      found.push(path);
  }
  return found;
}

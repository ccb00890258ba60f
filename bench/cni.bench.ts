// ADD and DEL of a pod with both families through the runtime, and of its plugin alone: what the
// versions, the ordering and the record on disk cost.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCommands } from "../src/base/host/command.system.ts";
import { type Commands, inNamespace } from "../src/base/host/command.ts";
import { systemFiles } from "../src/base/host/files.system.ts";
import { systemLocks } from "../src/base/host/lock.system.ts";
import { systemNetworkNamespaces } from "../src/base/host/testing/netns.system.ts";
import { parseNetwork } from "../src/node/network/cni/configuration.ts";
import { systemPluginPath } from "../src/node/network/cni/plugin-path.system.ts";
import { CniRuntime } from "../src/node/network/cni/runtime.ts";
import { type Benchmark, type Case, type Group, load, Unavailable } from "./harness.ts";

export default {
  title: "a pod's interface with an IPv4 and an IPv6 address: bridge and host-local",
  groups: () => [
    group("one after the other: ADD and DEL", { concurrency: 1, operations: 30 }),
    group("16 at a time: ADD and DEL", { concurrency: 16, operations: 96 }),
  ],
} satisfies Benchmark;

const distribution = "/usr/lib/cni";

interface Size {
  readonly concurrency: number;
  readonly operations: number;
}

interface Node {
  readonly commands: Commands;
  readonly directory: string;
  /** Paths of empty namespaces, for one operation at a time each. */
  readonly pods: string[];
}

type Attach = (container: string, namespace: string) => Promise<void>;

type Prepare = (node: Node, scope: AsyncDisposableStack) => Promise<Attach>;

function group(name: string, size: Size): Group {
  return {
    name,
    baseline: "plugin alone",
    cases: {
      "runtime, record in memory": attaching(size, throughRuntime("/dev/shm")),
      "runtime, record on disk": attaching(size, throughRuntime(tmpdir())),
      "plugin alone": attaching(size, directly),
    },
  };
}

function attaching(size: Size, prepare: Prepare): Case {
  return async (scope) => {
    const node = await openNode(scope, size.concurrency);
    const attach = await prepare(node, scope);
    return load(size, async (n) => {
      const namespace = node.pods.pop();
      if (namespace === undefined) throw new Error("Cannot attach: all namespaces are in use");
      await attach(`c${n}`, namespace);
      node.pods.push(namespace);
    });
  };
}

/** Where the record is kept: a file system in memory, as /run is, or one on disk. */
function throughRuntime(place: string): Prepare {
  return async ({ commands, directory }, scope) => {
    const runtime = new CniRuntime({
      commands,
      files: systemFiles,
      path: systemPluginPath([distribution]),
      directory: await temporaryDirectory(place, scope),
    });
    const network = parseNetwork(configuration(directory), { where: "the benchmark" });
    return async (container, namespace) => {
      const attachment = { container, interface: "eth0", namespace };
      await runtime.add(network, attachment);
      await runtime.delete(attachment);
    };
  };
}

async function directly({ commands, directory }: Node): Promise<Attach> {
  const stdin = JSON.stringify(configuration(directory));
  return async (container, namespace) => {
    for (const verb of ["ADD", "DEL"]) {
      const environment = {
        CNI_COMMAND: verb,
        CNI_CONTAINERID: container,
        CNI_NETNS: namespace,
        CNI_IFNAME: "eth0",
        CNI_PATH: distribution,
      };
      await commands.run([join(distribution, "bridge")], { stdin, environment });
    }
  };
}

function configuration(directory: string): object {
  return {
    cniVersion: "1.0.0",
    name: "pods",
    type: "bridge",
    bridge: "cbr0",
    isGateway: true,
    ipam: {
      type: "host-local",
      dataDir: join(directory, "addresses"),
      ranges: [[{ subnet: "10.66.0.0/16" }], [{ subnet: "fd66::/64" }]],
    },
  };
}

async function openNode(scope: AsyncDisposableStack, pods: number): Promise<Node> {
  if (!existsSync(join(distribution, "bridge"))) {
    throw new Unavailable(`the plugins are not installed in ${distribution}`);
  }
  const directory = await temporaryDirectory(tmpdir(), scope);
  const commands = systemCommands();
  const namespaces = systemNetworkNamespaces({
    commands,
    locks: systemLocks(commands),
    directory: join(directory, "netns"),
  });
  const create = async (name: string): Promise<string> => {
    const path = await namespaces.create(name);
    scope.defer(() => namespaces.delete(name));
    return path;
  };
  const node = inNamespace(commands, await create("node"));
  await node.run(["ip", "link", "add", "cbr0", "type", "bridge"]);
  const paths: string[] = [];
  for (let n = 0; n < pods; n++) paths.push(await create(`pod-${n}`));
  return { commands: node, directory, pods: paths };
}

async function temporaryDirectory(place: string, scope: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(place, "tandem-bench-cni-"));
  scope.defer(() => rm(directory, { recursive: true }));
  return directory;
}

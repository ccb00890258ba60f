// ADD and DEL as a CNI runtime has them: a process each, from its start to its end. tandem-ipam is measured
// as a node runs it, with its daemon, and without.

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  ipPools,
  nodeSlicePools,
  overlappingRangeReservations,
} from "../src/api/builtin-crds/whereabouts.ts";
import { TestDaemon } from "../test/fixtures/ipam-daemon.ts";
import { TestServer } from "../test/fixtures/server.ts";
import { Connection } from "./apiserver/connection.ts";
import { subjects } from "./apiserver/subjects.ts";
import {
  type Benchmark,
  type Case,
  type Group,
  load,
  type Measure,
  Unavailable,
} from "./harness.ts";

export default {
  title: "addresses for pods, by tandem-ipam and its peers",
  groups: async (scope) =>
    [
      local({ name: "local, one after the other", concurrency: 1, operations: 60 }),
      local({ name: "local, 32 at a time", concurrency: 32, operations: 256 }),
      await onServer(scope, "tandem server", startOurs),
      await onServer(scope, "kube-apiserver", startGenuine),
    ].flat(),
} satisfies Benchmark;

type Scope = AsyncDisposableStack;

const tandemIpam = join(import.meta.dirname, "../build/tandem-ipam");
const hostLocal = "/usr/lib/cni/host-local";

/** A plugin, and what its environment has beside what every runtime sets. */
type Plugin = (scope: Scope) => Promise<{ program: string; environment: Variables }>;

type Variables = Readonly<Record<string, string>>;

const plugins = {
  "tandem-ipam": async (scope) => {
    const { environment } = scope.use(await TestDaemon.start());
    return { program: tandemIpam, environment };
  },
  "tandem-ipam without its daemon": async (scope) => {
    const socket = join(await temporaryDirectory(scope), "none.sock");
    return { program: tandemIpam, environment: { TANDEM_IPAM_SOCKET: socket } };
  },
  "host-local": async () => ({ program: hostLocal, environment: {} }),
  whereabouts: async () => ({ program: await buildPeer("whereabouts"), environment: {} }),
} satisfies Record<string, Plugin>;

/** One operation is an ADD and the DEL that follows. */
function local(options: { name: string; concurrency: number; operations: number }): Group {
  const measure = (plugin: Plugin, ipam: (directory: string) => object): Case => {
    return async (scope) => {
      const started = await plugin(scope);
      const network = { ipam: ipam(await temporaryDirectory(scope)) };
      return load(options, async (n) => {
        await call({ ...started, command: "ADD", n, network });
        await call({ ...started, command: "DEL", n, network });
      });
    };
  };
  const ours = (directory: string) => ({
    type: "tandem-ipam",
    datastore: "local",
    data_dir: directory,
    ipRanges: [{ range: "10.9.0.0/16" }, { range: "fd09::/64" }],
  });
  return {
    name: `${options.name}: ADD and DEL`,
    baseline: "host-local",
    cases: {
      "tandem-ipam": measure(plugins["tandem-ipam"], ours),
      "tandem-ipam without its daemon": measure(plugins["tandem-ipam without its daemon"], ours),
      "host-local": measure(plugins["host-local"], (directory) => ({
        type: "host-local",
        dataDir: directory,
        ranges: [[{ subnet: "10.9.0.0/16" }], [{ subnet: "fd09::/64" }]],
      })),
    },
  };
}

/** Starts a server for all groups on it, and returns the path of its kubeconfig. */
type StartServer = (scope: Scope) => Promise<string>;

async function onServer(scope: Scope, name: string, start: StartServer): Promise<Group[]> {
  const kubeconfig = await start(scope).catch((error: unknown) => {
    if (error instanceof Unavailable) return error;
    throw error;
  });
  const measure = (options: { concurrency: number; operations: number }) => {
    const names = ["tandem-ipam", "tandem-ipam without its daemon", "whereabouts"] as const;
    const cases = names.map((plugin, index) => [
      plugin,
      adding(plugins[plugin], { ...options, kubeconfig, range: 60 + index }),
    ]);
    return Object.fromEntries(cases) as Record<string, Case>;
  };
  return [
    {
      name: `${name}, one after the other: ADD`,
      baseline: "whereabouts",
      cases: measure({ concurrency: 1, operations: 20 }),
    },
    {
      name: `${name}, 32 at a time: ADD`,
      baseline: "whereabouts",
      cases: measure({ concurrency: 32, operations: 64 }),
    },
  ];
}

interface Adding {
  readonly concurrency: number;
  readonly operations: number;
  readonly kubeconfig: string | Unavailable;
  readonly range: number;
}

let rounds = 0;

function adding(plugin: Plugin, { kubeconfig, range, ...options }: Adding): Case {
  return async (scope): Promise<Measure> => {
    if (kubeconfig instanceof Unavailable) throw kubeconfig;
    const started = await plugin(scope);
    const round = rounds++;
    const file = join(await temporaryDirectory(scope), "whereabouts.conf");
    const kubernetes = { kubeconfig };
    await writeFile(file, JSON.stringify({ datastore: "kubernetes", kubernetes }));
    const ipam = {
      type: "whereabouts",
      kubernetes,
      configuration_path: file,
      ipRanges: [{ range: `10.${range}.0.0/16` }, { range: `fd${range}::/64` }],
    };
    const add = (n: number, network: object) =>
      call({ ...started, command: "ADD", n: n + 10_000 * round, network });
    // Servers and daemons run for months: what is measured is not their first minute.
    if (plugin === plugins["tandem-ipam"]) {
      const apart = { ...ipam, network_name: "warm-up" };
      await load({ operations: 256, concurrency: 8 }, (n) => add(n, { ipam: apart }))();
    }
    return load(options, (n) => add(n, { ipam }));
  };
}

async function startOurs(scope: Scope): Promise<string> {
  // The owners are no pods of the cluster.
  const options = { arguments: ["--controllers=*,-ipam-reservations"] };
  return scope.use(await TestServer.start(options)).kubeconfig;
}

/** With the definitions that our server has built in. */
async function startGenuine(scope: Scope): Promise<string> {
  const start = subjects["kube-apiserver"];
  if (start === undefined) throw new Unavailable("there is no kube-apiserver to start");
  const server = scope.use(await start());
  using connection = await Connection.open(server);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const definition of [ipPools, overlappingRangeReservations, nodeSlicePools]) {
    const { code, body } = await connection.request("POST", path, JSON.stringify(definition));
    if (code !== 201)
      throw new Error(`Cannot define ${definition.metadata.name}: ${body.toString()}`);
  }
  const file = join(await temporaryDirectory(scope), "kubeconfig");
  const name = "bench";
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": name,
      contexts: [{ name, context: { cluster: name, user: name } }],
      clusters: [
        {
          name,
          cluster: { server: `https://127.0.0.1:${server.port}`, "insecure-skip-tls-verify": true },
        },
      ],
      users: [{ name, user: { token: server.token } }],
    }),
  );
  return file;
}

async function buildPeer(name: string): Promise<string> {
  const script = join(import.meta.dirname, "peers/build");
  try {
    return (await promisify(execFile)(script, [name], { maxBuffer: 1 << 24 })).stdout.trim();
  } catch (error) {
    throw new Unavailable(`${name} could not be built`, { cause: error });
  }
}

async function temporaryDirectory(scope: Scope): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-bench-"));
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

interface Call {
  readonly program: string;
  readonly environment: Variables;
  readonly command: "ADD" | "DEL";
  readonly n: number;
  readonly network: object;
}

/** Rejects unless the plugin succeeds. */
async function call({ program, environment, command, n, network }: Call): Promise<void> {
  if (!existsSync(program)) throw new Unavailable(`${program} is not there`);
  const child = spawn(program, {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: `container-${n}`,
      CNI_IFNAME: "eth0",
      CNI_NETNS: "/run/netns/none",
      CNI_PATH: "/usr/lib/cni",
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod-${n}`,
      ...environment,
    },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdin.end(
    JSON.stringify({ cniVersion: "1.0.0", name: "bench", type: "bridge", ...network }),
  );
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  if (code !== 0) throw new Error(`Cannot ${command} container-${n}: ${output}`);
}

// A LAN with an outside host, IPv4, IPv6 and dual-stack backends, and a node with `tandem server` and
// `tandem ingress` on it.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { kubeconfigAs } from "../fixtures/kubeconfig-as.ts";
import { type LanHost, openLan } from "../fixtures/lan.ts";
import type { Heard } from "./ingress-backend.ts";
import type { LoadOptions, LoadSummary } from "./ingress-load.ts";
import { backendProgram, LanPrograms, program } from "./lan-programs.fixture.ts";

const loadProgram = join(import.meta.dirname, "ingress-load.ts");

export const nodeAddresses = { IPv4: "192.168.77.2", IPv6: "fd00:77::2" } as const;
export const backendPort = 8080;
const workers = 2;

/** The addresses of backends, by name. */
export const backendAddresses = {
  both: ["192.168.77.11", "fd00:77::11"],
  twin: ["192.168.77.12", "fd00:77::12"],
  four: ["192.168.77.13"],
  six: ["fd00:77::14"],
} as const satisfies Record<string, readonly string[]>;

export type BackendName = keyof typeof backendAddresses;

export interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly text: string;
  /** The request as the backend received it. */
  readonly heard: Heard;
}

export interface IngressLab extends AsyncDisposable {
  readonly node: LanHost;
  host(name: BackendName | "node"): LanHost;
  readonly outside: LanHost;
  readonly directory: string;
  readonly scratch: string;
  readonly output: readonly string[];
  readonly kubeconfig: string;
  kubectl(args: readonly string[], stdin?: object): Promise<string>;
  /** Creates a service, and Endpoints with these backends. */
  serve(service: string, backends: readonly BackendName[]): Promise<void>;
  /** Sends a request from outside; `args` are further arguments of curl. */
  ask(url: string, args?: readonly string[]): Promise<Answer>;
  /** Asks until the answer is so; from then on every request is answered in the same way. */
  askUntil(
    url: string,
    isSo: (answer: Answer) => boolean,
    args?: readonly string[],
  ): Promise<Answer>;
  load(options: LoadOptions): Promise<LoadSummary>;
  /** Ends ingress with SIGKILL or SIGTERM, and starts it again. */
  restartIngress(how: "KILL" | "TERM"): Promise<void>;
  startBackend(name: BackendName, port?: number, pem?: string): Promise<RunningCommand>;
  until(isSo: () => Promise<boolean>, what: string): Promise<void>;
}

export async function openIngressLab(args: readonly string[] = []): Promise<IngressLab> {
  const scope = new AsyncDisposableStack();
  try {
    return await open(scope, args);
  } catch (error) {
    await scope.disposeAsync();
    throw error;
  }
}

async function open(scope: AsyncDisposableStack, args: readonly string[]): Promise<IngressLab> {
  const lan = scope.use(await openLan());
  // The directory is directly below /tmp: workers are not root, and must be able to reach it.
  const directory = await mkdtemp("/tmp/tandem-ingress-");
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  const node = await lan.join("node", ["192.168.77.2/24", "fd00:77::2/64"]);
  const outside = await lan.join("outside", ["192.168.77.9/24", "fd00:77::9/64"]);
  const hosts = new Map<BackendName, LanHost>();
  const programs = scope.use(await LanPrograms.open(lan, node));
  const { output, kubeconfig } = programs;
  const until: IngressLab["until"] = (isSo, what) => programs.until(isSo, what);
  const kubectl: IngressLab["kubectl"] = (words, stdin) => programs.kubectl(words, stdin);
  await programs.startServer("127.0.0.1");
  const hostOf: IngressLab["host"] = (name) => {
    const host = name === "node" ? node : hosts.get(name);
    if (host === undefined) throw new Error(`Cannot use host ${name}: it is not there yet`);
    return host;
  };
  const startBackend: IngressLab["startBackend"] = async (name, port = backendPort, pem) => {
    const more = pem === undefined ? [] : [pem];
    const command = [process.execPath, backendProgram, name, String(port), ...more];
    return programs.start(hostOf(name), command, "listening");
  };
  for (const [name, addresses] of Object.entries(backendAddresses) as [
    BackendName,
    readonly string[],
  ][]) {
    const withLength = addresses.map((one) => `${one}/${one.includes(":") ? 64 : 24}`);
    hosts.set(name, await lan.join(name, withLength));
    await startBackend(name);
  }

  const health = "http://127.0.0.1:10264/readyz";
  const startIngress = async () => {
    const running = await programs.start(node, [
      program,
      "ingress",
      `--kubeconfig=${await kubeconfigAs(kubeconfig, { as: "system:tandem-ingress" })}`,
      `--data-dir=${directory}`,
      `--publish-address=${Object.values(nodeAddresses).join(",")}`,
      `--workers=${workers}`,
      // The timeout is longer than a busy machine stalls, lest requests that are under way be cut off.
      "--drain-timeout=30s",
      "--quiet-time=50ms",
      "--reload-interval=100ms",
      ...args,
    ]);
    await until(async () => (await curl(node, health, [])).text === "ok", "ingress is not ready");
    return running;
  };
  let ingress = await startIngress();

  const ask: IngressLab["ask"] = (url, more = []) => curl(outside, url, more);
  return {
    node,
    host: hostOf,
    outside,
    directory,
    scratch: lan.scratch,
    output,
    kubeconfig,
    kubectl,
    ask,
    until,
    startBackend,
    async serve(service, backends) {
      const ports = [{ name: "http", port: 80, targetPort: backendPort }];
      const metadata = { name: service, namespace: "default" };
      const spec = { ports, ipFamilyPolicy: "PreferDualStack" };
      await kubectl(["apply", "-f", "-"], { apiVersion: "v1", kind: "Service", metadata, spec });
      await kubectl(["apply", "-f", "-"], {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata,
        subsets: subsetsOf(backends),
      });
    },
    async askUntil(url, isSo, more) {
      let answer = await ask(url, more);
      await until(
        async () => isSo((answer = await ask(url, more))),
        `${url} was answered with ${answer.status} ${answer.text}`,
      );
      const isAlone = async () => (await acceptingWorkers(node, directory)) === workers;
      await until(isAlone, "workers of before still accept connections");
      return answer;
    },
    async load(options) {
      const { stdout: said } = await outside.commands.run(
        [process.execPath, loadProgram, JSON.stringify(options)],
        { timeoutMs: 120_000 },
      );
      return JSON.parse(said) as LoadSummary;
    },
    async restartIngress(how) {
      ingress.kill(`SIG${how}`);
      await ingress.exited;
      ingress = await startIngress();
    },
    async [Symbol.asyncDispose]() {
      await scope.disposeAsync();
    },
  };
}

export function subsetsOf(backends: readonly BackendName[]): object[] {
  const addresses = backends.map((name) => {
    const [ip, ...rest] = backendAddresses[name];
    return { ip, ips: [ip, ...rest] };
  });
  if (addresses.length === 0) return [];
  return [{ addresses, ports: [{ name: "http", port: backendPort }] }];
}

/** Counts the workers that accept connections: a reload ends old workers only when the new ones run. */
async function acceptingWorkers({ commands }: LanHost, directory: string): Promise<number> {
  const { stdout } = await commands.run(["ps", "-eo", "pid=,ppid=,args="]);
  const processes = stdout.split("\n").map((line) => {
    const [, pid, parent, args = ""] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return { pid, parent, args };
  });
  const masters = processes.filter(
    ({ args }) => args.startsWith("nginx: master process") && args.includes(directory),
  );
  return processes.filter(
    ({ parent, args }) =>
      args === "nginx: worker process" && masters.some(({ pid }) => pid === parent),
  ).length;
}

async function curl(host: LanHost, url: string, args: readonly string[]): Promise<Answer> {
  try {
    const { stdout } = await host.commands.run(["curl", "-sSik", "-m", "20", ...args, url]);
    // The last of several response heads is that of the answer.
    const [, headers = "", text = ""] =
      /^((?:HTTP\/.*\r\n(?:.+\r\n)*\r\n)+)(.*)$/s.exec(stdout) ?? [];
    const status = Number([...headers.matchAll(/^HTTP\/\S+ (\d+)/gm)].at(-1)?.[1] ?? 0);
    return { status, headers, text, heard: heardOf(text) };
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode === undefined) throw error;
    return { status: 0, headers: "", text: error.stderr, heard: heardOf("") };
  }
}

function heardOf(text: string): Heard {
  const nothing = { backend: "", method: "", url: "", from: "", bytes: 0, headers: {} };
  return text.startsWith("{") ? (JSON.parse(text) as Heard) : nothing;
}

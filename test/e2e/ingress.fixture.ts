// A LAN with a host outside, backends of each kind of family, and a node with `tandem server` and
// `tandem ingress` on it.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/host/command.system.ts";
import type { RunningCommand } from "../../src/host/command.ts";
import { CommandError } from "../../src/host/error.ts";
import { kubeconfigAs } from "../fixtures/kubeconfig-as.ts";
import { type LanHost, openLan } from "../fixtures/lan.ts";
import type { Heard } from "./ingress-backend.ts";
import type { LoadOptions, LoadSummary } from "./ingress-load.ts";

const program = join(import.meta.dirname, "../../bin/tandem");
const backendProgram = join(import.meta.dirname, "ingress-backend.ts");
const loadProgram = join(import.meta.dirname, "ingress-load.ts");
const kubectlFetcher = join(import.meta.dirname, "../../tools/fetch-kubectl");
const patience = 30_000;

export const nodeAddresses = { IPv4: "192.168.77.2", IPv6: "fd00:77::2" } as const;
export const backendPort = 8080;

/** By name, with the addresses they have. */
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
  /** What the backend said it heard. */
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
  /** A service, and the Endpoints of these backends. */
  serve(service: string, backends: readonly BackendName[]): Promise<void>;
  /** Asks from outside; more arguments are curl's. */
  ask(url: string, args?: readonly string[]): Promise<Answer>;
  askUntil(
    url: string,
    isSo: (answer: Answer) => boolean,
    args?: readonly string[],
  ): Promise<Answer>;
  load(options: LoadOptions): Promise<LoadSummary>;
  /** kill -9, or an end as asked for, and another start. */
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
  // Workers are not root, and have to get to their directory.
  const directory = await mkdtemp("/tmp/tandem-ingress-");
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  const { stdout } = await systemCommands().run([kubectlFetcher, "1.32"], { timeoutMs: 300_000 });
  const kubectlProgram = stdout.trim();
  const node = await lan.join("node", ["192.168.77.2/24", "fd00:77::2/64"]);
  const outside = await lan.join("outside", ["192.168.77.9/24", "fd00:77::9/64"]);
  const hosts = new Map<BackendName, LanHost>();
  const output: string[] = [];
  const kubeconfig = join(lan.scratch, "kubeconfig");

  const until: IngressLab["until"] = async (isSo, what) => {
    const deadline = Date.now() + patience;
    while (!(await isSo())) {
      if (Date.now() > deadline) {
        throw new Error(`Cannot wait any longer: ${what}\n${output.slice(-40).join("\n")}`);
      }
      await sleep(20);
    }
  };
  const start = async (host: LanHost, command: readonly string[], ready: string) => {
    let isReady = false;
    const running = await host.commands.start(command, {
      diesWithParent: true,
      onLine: (line) => {
        output.push(`${host.name}: ${line}`);
        isReady ||= line.includes(ready);
      },
    });
    scope.defer(async () => void (await running.stop()));
    await until(async () => isReady || ready === "", `${command.join(" ")} is not ready`);
    return running;
  };

  await start(
    node,
    [
      program,
      "server",
      `--data-dir=${join(lan.scratch, "server")}`,
      `--kubeconfig-out=${kubeconfig}`,
      "--listen=127.0.0.1:6443",
      "--service-cidr=10.96.0.0/16,fd00:96::/112",
    ],
    "serving",
  );
  const hostOf: IngressLab["host"] = (name) => {
    const host = name === "node" ? node : hosts.get(name);
    if (host === undefined) throw new Error(`Cannot use host ${name}: it is not there yet`);
    return host;
  };
  const startBackend: IngressLab["startBackend"] = async (name, port = backendPort, pem) => {
    const more = pem === undefined ? [] : [pem];
    const command = [process.execPath, backendProgram, name, String(port), ...more];
    return start(hostOf(name), command, "listening");
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
    const running = await start(
      node,
      [
        program,
        "ingress",
        `--kubeconfig=${await kubeconfigAs(kubeconfig, { as: "system:tandem-ingress" })}`,
        `--data-dir=${directory}`,
        `--publish-address=${Object.values(nodeAddresses).join(",")}`,
        "--workers=2",
        "--drain-timeout=5s",
        "--quiet-time=50ms",
        "--reload-interval=100ms",
        ...args,
      ],
      "",
    );
    await until(async () => (await curl(node, health, [])).text === "ok", "ingress is not ready");
    return running;
  };
  let ingress = await startIngress();

  const ask: IngressLab["ask"] = (url, more = []) => curl(outside, url, more);
  const kubectl: IngressLab["kubectl"] = async (words, stdin) => {
    const { stdout: said } = await node.commands.run([kubectlProgram, ...words], {
      environment: { KUBECONFIG: kubeconfig, HOME: lan.scratch },
      timeoutMs: patience,
      ...(stdin === undefined ? {} : { stdin: JSON.stringify(stdin) }),
    });
    return said;
  };
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

async function curl(host: LanHost, url: string, args: readonly string[]): Promise<Answer> {
  try {
    const { stdout } = await host.commands.run(["curl", "-sSik", "-m", "20", ...args, url]);
    // The last of several heads is that of the answer.
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

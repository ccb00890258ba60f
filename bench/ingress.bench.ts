// Requests per second through nginx as the ingress controller sets it up, and through nginx with a
// configuration that was written by hand for the one service. The load is wrk's, from a host of its own.
//
// What else runs on the machine changes rates by half from one second to the next. Both are therefore
// asked at the same time, for a second, again and again: whatever happens, happens to both, and every such
// pair has a ratio of its own. Rates are what they reach side by side; the processor time of nginx's
// workers per request is what other load changes least.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isNotInstalled } from "../src/base/host/error.ts";
import { families } from "../src/base/net/family.ts";
import { type IngressLab, nodeAddresses, openIngressLab } from "../test/e2e/ingress.fixture.ts";
import { type Benchmark, type Figures, type Group, higher, lower, Unavailable } from "./harness.ts";

/** As many hosts as a cluster of some size has: all but one are only in the way. */
const hosts = 200;
const host = "web-100.example";
const handPort = 8000;
const backendPort = 8090;
/** In each run; RUNS=5 makes twenty of them. */
const pairs = 4;
const seconds = 1;

export default {
  title: `a request through nginx, one of ${hosts} hosts`,
  async groups(scope) {
    const lab = scope.use(await openIngressLab());
    await startNginx(lab, scope, { name: "backend", on: "both", text: backendConfiguration });
    await startNginx(lab, scope, { name: "by-hand", on: "node", text: handConfiguration });
    await createIngresses(lab);
    return families.map((family): Group => {
      const ours = { url: url(family, 80), pidFile: "nginx.pid" };
      const byHand = { url: url(family, handPort), pidFile: "by-hand/pid" };
      let last: readonly Sample[] = [];
      return {
        name: `a client with ${family}, 32 connections`,
        baseline: "written by hand",
        cases: {
          tandem: () => async () => {
            const found = await compare(lab, ours, byHand);
            last = found.map(([, hand]) => hand);
            return figures(found);
          },
          "written by hand": () => () => figures(last.map((hand) => [hand, hand])),
        },
      };
    });
  },
} satisfies Benchmark;

function url(family: "IPv4" | "IPv6", port: number): string {
  const address = nodeAddresses[family];
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`;
}

interface Subject {
  readonly url: string;
  /** Of nginx, in the directory of the laboratory. */
  readonly pidFile: string;
}

interface Sample {
  readonly rate: number;
  readonly p99: number;
  /** Of all workers, for each request. */
  readonly cpuMs: number;
}

type Pair = readonly [Sample, Sample];

async function compare(lab: IngressLab, one: Subject, other: Subject): Promise<Pair[]> {
  const found: Pair[] = [];
  for (let n = 0; n < pairs; n++) {
    found.push(await Promise.all([measure(lab, one), measure(lab, other)]));
  }
  return found;
}

function figures(found: readonly Pair[]): Figures {
  const own = (key: keyof Sample) => median(found.map(([sample]) => sample[key]));
  const ratio = (key: keyof Sample) =>
    median(found.map(([sample, hand]) => sample[key] / hand[key]));
  return {
    rate: higher(own("rate"), "op/s"),
    p99: lower(own("p99"), "ms"),
    cpu: lower(own("cpuMs"), "ms"),
    "rate in pairs": higher(ratio("rate"), "×"),
    "cpu in pairs": lower(ratio("cpuMs"), "×"),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(Math.max(0, middle - 1), middle + 1);
  return sorted.length % 2 === 0 ? (low + high) / 2 : (sorted[middle] ?? Number.NaN);
}

async function measure(lab: IngressLab, subject: Subject): Promise<Sample> {
  const load = ["-t1", "-c32", `-d${seconds}s`, "--latency", "-H", `Host: ${host}`];
  const pid = (await readFile(join(lab.directory, subject.pidFile), "utf8")).trim();
  const cpuBefore = await workersCpuMs(pid);
  try {
    const { stdout } = await lab.outside.commands.run(["wrk", ...load, subject.url]);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Cannot measure: ${stdout}`);
    const cpuMs = (await workersCpuMs(pid)) - cpuBefore;
    const p99 = /99% +([\d.]+)(us|ms|s)/.exec(stdout);
    const scale = { us: 0.001, ms: 1, s: 1_000 }[p99?.[2] ?? "s"] ?? 1;
    return {
      rate: Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]),
      p99: Number(p99?.[1]) * scale,
      cpuMs: cpuMs / Number(/(\d+) requests in/.exec(stdout)?.[1]),
    };
  } catch (error) {
    if (isNotInstalled(error)) throw new Unavailable("wrk is not installed", { cause: error });
    throw error;
  }
}

/** What all workers of an nginx have used so far, to the nanosecond: a run is short. */
async function workersCpuMs(pid: string): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ");
  const times = children.map(async (child) => {
    const [running] = (await readFile(`/proc/${child}/schedstat`, "utf8")).split(" ");
    return Number(running) / 1e6;
  });
  return (await Promise.all(times)).reduce((sum, each) => sum + each, 0);
}

async function createIngresses(lab: IngressLab): Promise<void> {
  const metadata = { name: "web", namespace: "default" };
  const backend = { service: { name: "web", port: { number: 80 } } };
  const items = [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: "tandem" },
      spec: { controller: "tandem.internal/ingress" },
    },
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata,
      subsets: [{ addresses: [{ ip: "192.168.77.11" }], ports: [{ port: backendPort }] }],
    },
    ...Array.from({ length: hosts }, (_, n) => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: `web-${n}`, namespace: "default" },
      spec: {
        ingressClassName: "tandem",
        rules: [
          {
            host: `web-${n}.example`,
            http: { paths: [{ path: "/", pathType: "Prefix", backend }] },
          },
        ],
      },
    })),
  ];
  await lab.kubectl(["create", "-f", "-"], { apiVersion: "v1", kind: "List", items });
  const isServed = async (n: number) => {
    const { status } = await lab.ask(url("IPv4", 80), ["-H", `Host: web-${n}.example`]);
    return status === 200;
  };
  for (const n of [100, hosts - 1]) await lab.until(() => isServed(n), `web-${n} is not served`);
}

async function startNginx(
  lab: IngressLab,
  scope: AsyncDisposableStack,
  { name, on, text }: { name: string; on: "both" | "node"; text: string },
): Promise<void> {
  const directory = join(lab.directory, name);
  await mkdir(directory);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((each) => `${each}_temp_path ${directory}/${each};`)
    .join(" ");
  const whole = `pid ${directory}/pid; user www-data; worker_processes 2; error_log stderr;
events { worker_connections 4096; } http { access_log off; ${temporary} ${text} }`;
  const file = join(directory, "nginx.conf");
  await writeFile(file, whole);
  const running = await lab
    .host(on)
    .commands.start(["nginx", "-p", directory, "-e", "stderr", "-c", file, "-g", "daemon off;"], {
      diesWithParent: true,
    });
  scope.defer(async () => void (await running.stop()));
  await sleep(200);
}

const backendConfiguration = `keepalive_requests 100000;
server { listen ${backendPort}; return 200 "an answer of some forty bytes, as it is\\n"; }`;

/** What somebody would write for the one service, who cares for WebSockets and tells backends as much. */
const handConfiguration = `keepalive_requests 10000; server_tokens off;
map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
upstream web { server 192.168.77.11:${backendPort}; keepalive 64; keepalive_requests 10000; }
server {
  listen ${handPort}; listen [::]:${handPort}; server_name ${host};
  location / {
    proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Host $http_host;
    proxy_set_header X-Request-ID $request_id;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Port $server_port;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_pass http://web;
  }
}`;

// Queries per second, per core, tail latency and memory of DNS servers with the same 1,000 services
// from the same API server. The load is dnsperf's, on loopback.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { parse } from "yaml";
import { systemCommands } from "../src/base/host/command.system.ts";
import { freePorts } from "../test/fixtures/etcd-member.ts";
import { TestServer } from "../test/fixtures/server.ts";
import { Asker } from "./dns-asker.ts";
import {
  type Benchmark,
  type Case,
  distribution,
  type Figures,
  type Group,
  higher,
  lower,
  Unavailable,
} from "./harness.ts";

export default {
  title: "DNS for 1,000 services",
  async groups(scope) {
    const directory = await mkdtemp(join(tmpdir(), "tandem-bench-dns-"));
    scope.defer(() => rm(directory, { recursive: true, force: true }));
    const server = scope.use(await TestServer.start());
    await createServices(server);
    await createMoving(server);
    const questions = join(directory, "questions");
    await writeFile(questions, questionLines());
    const bed = { directory, server, questions, kubeconfig: await asJson(server, directory) };
    return [
      group("as many as it can, 50 at a time", bed, flood),
      group(`${steadyRate} queries/s`, bed, trickle),
      group(`${changeCount} changes of endpoints`, bed, follow),
    ];
  },
} satisfies Benchmark;

interface Bed {
  readonly directory: string;
  readonly server: TestServer;
  readonly questions: string;
  readonly kubeconfig: string;
}

interface Subject {
  readonly pid: number;
  readonly port: number;
}

const serviceCount = 1_000;
const steadyRate = 5_000;
const seconds = 3;
const changeCount = 300;
const domain = "default.svc.cluster.local";
const run = promisify(execFile);

function group(
  name: string,
  bed: Bed,
  measure: (subject: Subject, bed: Bed) => Promise<Figures>,
): Group {
  const of =
    (start: (bed: Bed, scope: AsyncDisposableStack) => Promise<Subject>): Case =>
    async (scope) => {
      const subject = await start(bed, scope);
      await untilServing(subject);
      return () => measure(subject, bed);
    };
  return { name, baseline: "coredns", cases: { tandem: of(startOurs), coredns: of(startCoreDns) } };
}

async function flood(subject: Subject, { questions }: Bed): Promise<Figures> {
  const cpuBefore = cpuSeconds(subject.pid);
  const output = await dnsperf(subject, ["-d", questions, "-l", String(seconds), "-q", "50"]);
  const cpu = cpuSeconds(subject.pid) - cpuBefore;
  const completed = Number(/Queries completed: +(\d+)/.exec(output)?.[1]);
  const rate = Number(/Queries per second: +([\d.]+)/.exec(output)?.[1]);
  return {
    rate: higher(rate, "op/s"),
    "per core": higher(completed / cpu, "op/s"),
    memory: lower(memoryOf(subject.pid), "bytes"),
  };
}

async function trickle(subject: Subject, { questions }: Bed): Promise<Figures> {
  const limits = ["-l", String(seconds), "-Q", String(steadyRate), "-q", "50", "-v"];
  const output = await dnsperf(subject, ["-d", questions, ...limits]);
  const latencies = [...output.matchAll(/^> \w+ \S+ \w+ ([\d.]+)$/gm)].map(
    ([, each]) => Number(each) * 1000,
  );
  return { ...distribution(latencies), memory: lower(memoryOf(subject.pid), "bytes") };
}

/**
 * From the moment when the API has acknowledged a change of endpoints to the first answer that has it.
 * One question follows the other, so that a late answer is not one that was never asked for.
 */
async function follow({ port }: Subject, { server }: Bed): Promise<Figures> {
  const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/moving";
  await using asker = await Asker.open(port, `moving.${domain}`);
  const delays: number[] = [];
  for (let change = 0; change < changeCount; change++) {
    const address = nextAddress();
    const body = JSON.stringify({ endpoints: [{ addresses: [address] }] });
    const type = "application/merge-patch+json";
    const { code, text } = await server.send("PATCH", path, { body, type });
    if (code !== 200) throw new Error(`Cannot change an endpoint: ${text}`);
    const acknowledged = performance.now();
    await asker.until(address);
    delays.push(performance.now() - acknowledged);
  }
  return distribution(delays);
}

let lastAddress = 0;

/** One that has never been told before. */
function nextAddress(): string {
  lastAddress += 1;
  return `10.${lastAddress >> 16}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

async function dnsperf({ port }: Subject, args: readonly string[]): Promise<string> {
  const command = ["-s", "127.0.0.1", "-p", String(port), "-c", "4", ...args];
  try {
    const { stdout } = await run("dnsperf", command, { maxBuffer: 1 << 28 });
    return stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw new Unavailable("dnsperf is not installed", { cause: error });
    }
    throw error;
  }
}

async function startOurs({ kubeconfig }: Bed, scope: AsyncDisposableStack): Promise<Subject> {
  const [port = 0, health = 0] = await freePorts(2, "127.0.0.1");
  const process = await systemCommands().start(
    [
      join(import.meta.dirname, "../bin/tandem"),
      "dns",
      `--listen=127.0.0.1:${port}`,
      `--health-address=127.0.0.1:${health}`,
      `--kubeconfig=${kubeconfig}`,
      "--resolv-conf=",
    ],
    { diesWithParent: true },
  );
  scope.defer(async () => void (await process.stop()));
  return { pid: process.pid, port };
}

async function startCoreDns(bed: Bed, scope: AsyncDisposableStack): Promise<Subject> {
  const binary = await build();
  const [port = 0, health = 0, metrics = 0] = await freePorts(3, "127.0.0.1");
  const file = join(bed.directory, `Corefile-${port}`);
  // Much as kubeadm sets it up, without upstream servers, of which there are none here.
  const corefile = `
.:${port} {
  bind 127.0.0.1
  errors
  health 127.0.0.1:${health}
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${bed.kubeconfig} kubernetes-admin@tandem
    pods verified
    ttl 5
  }
  prometheus 127.0.0.1:${metrics}
  cache 30 {
    disable success cluster.local
    disable denial cluster.local
  }
  loadbalance
}
`;
  await writeFile(file, corefile);
  const process = await systemCommands().start([binary, "-conf", file], { diesWithParent: true });
  scope.defer(async () => void (await process.stop()));
  return { pid: process.pid, port };
}

async function build(): Promise<string> {
  try {
    const { stdout } = await run(join(import.meta.dirname, "peers/build"), ["coredns"]);
    return stdout.trim();
  } catch (cause) {
    throw new Unavailable("coredns cannot be built here", { cause });
  }
}

async function untilServing({ port }: Subject): Promise<void> {
  const last = `svc-${serviceCount - 1}.${domain}`;
  const deadline = Date.now() + 30_000;
  for (;;) {
    const args = ["@127.0.0.1", "-p", String(port), "+short", "+time=1", "+tries=1", last, "A"];
    const answer = await run("dig", args).then(
      ({ stdout }) => stdout,
      () => "",
    );
    if (/^10\./m.test(answer)) return;
    if (Date.now() > deadline) throw new Error(`Cannot measure: ${last} has no address`);
    await sleep(100);
  }
}

/** In a pod, where such servers run, there is no YAML to be read either. */
async function asJson(server: TestServer, directory: string): Promise<string> {
  const file = join(directory, "kubeconfig.json");
  const content = parse(readFileSync(server.kubeconfig, "utf8")) as object;
  await writeFile(file, JSON.stringify(content));
  return file;
}

async function createServices(server: TestServer): Promise<void> {
  const ports = [{ name: "http", port: 80 }];
  const create = async (index: number): Promise<void> => {
    const object = {
      metadata: { name: `svc-${index}` },
      spec: { ports, ipFamilyPolicy: index % 2 === 0 ? "RequireDualStack" : "SingleStack" },
    };
    const { code, text } = await server.call("POST", "/api/v1/namespaces/default/services", object);
    if (code !== 201) throw new Error(`Cannot create a service: ${text}`);
  };
  for (let index = 0; index < serviceCount; index += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, offset) => create(index + offset)));
  }
}

/** A service without cluster IP, so that its endpoints are what is answered. */
async function createMoving(server: TestServer): Promise<void> {
  const labels = { "kubernetes.io/service-name": "moving" };
  for (const [path, object] of [
    ["/api/v1/namespaces/default/services", { spec: { clusterIP: "None" } }],
    ["/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", { addressType: "IPv4" }],
  ] as const) {
    const whole = { metadata: { name: "moving", labels }, endpoints: [], ...object };
    const { code, text } = await server.call("POST", path, whole);
    if (code !== 201) throw new Error(`Cannot create ${path}: ${text}`);
  }
}

/** What pods ask for: addresses of both families, now and then a name that is not there. */
function questionLines(): string {
  const lines: string[] = [];
  for (let index = 0; index < serviceCount; index++) {
    lines.push(`svc-${index}.${domain} A`, `svc-${index}.${domain} AAAA`);
    if (index % 5 === 0) lines.push(`svc-${index}.${domain}.${domain} A`);
  }
  return `${lines.join("\n")}\n`;
}

function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident now. */
function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) * 1024;
}

// Measures one proxy in the network namespace that this runs in, where an API server has the objects and
// a neighbour answers at two addresses. What is measured is what clients notice: a change is in the
// kernel when a connection goes where it leads.
//
//   node measure.ts SUBJECT KUBECONFIG SERVICES CHANGES BURST SCRATCH
//     prints figures as JSON

import { mkdirSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectByKubeconfig } from "../../examples/connect.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { cpuSeconds, residentBytes, signal } from "./costs.ts";
import {
  answering,
  answeringPort,
  endpoint,
  endpointAddresses,
  namespace,
  probe,
  sliceName,
} from "./objects.ts";
import { subjects } from "./subjects.ts";

export interface Findings {
  /** From the start of the program to the first connection, in seconds. */
  readonly start: number;
  /** The first time everything was brought into the kernel, by its own account, in seconds. */
  readonly sync: number;
  /** From the API's answer to a change to the first connection that shows it, in milliseconds. */
  readonly changes: readonly number[];
  readonly cpuPerChangeMs: number;
  readonly burst: Burst;
  readonly memory: number;
  /** Microseconds. */
  readonly connect: Connects;
  readonly connectDirectly: Connects;
}

interface Connects {
  readonly p50: number;
  readonly p90: number;
  readonly perSecond: number;
  readonly refused: number;
}

/** Many changes, in seconds. */
interface Burst {
  /** As fast as the API takes them: from the first to the connection that shows the last. */
  readonly total: number;
  /** Of which it is waited for after the API's answer to the last change. */
  readonly behind: number;
  /** All at once, to a proxy that was stopped meanwhile: from when it goes on. */
  readonly atOnce: number;
}

/** Nobody who is waited for longer is waited for at all. */
export interface TooSlow {
  readonly tooSlow: string;
}

/** A change that takes longer counts as this. */
const patienceMs = 45_000;
const startPatienceMs = 150_000;
/** No more changes are made after that. */
const changesPatienceMs = 60_000;
const commands = systemCommands();
/** Aborted when the proxy is gone. */
const over = new AbortController();

const [, , name = "", kubeconfig = "", ...rest] = process.argv;
const [services = 0, changeCount = 0, burstCount = 0] = rest.slice(0, 3).map(Number);
const scratch = rest[3] ?? "";
process.stdout.write(`${JSON.stringify(await measure())}\n`);

async function measure(): Promise<Findings | TooSlow> {
  const subject = subjects[name];
  if (subject === undefined) throw new Error(`Cannot measure ${name}: there is no such subject`);
  const { client } = await connectByKubeconfig("bench", kubeconfig);
  const slices = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const lead = (service: number | string, addresses: readonly string[]) =>
    slices.patch(
      { namespace, name: sliceName(service) },
      { merge: { endpoints: addresses.map(endpoint) } },
    );
  let [current, other] = answering;
  await lead(probe.name, [current]);
  const started = performance.now();
  const output: string[] = [];
  const running = await commands.start([...subject.command, `--kubeconfig=${kubeconfig}`], {
    diesWithParent: true,
    onLine: (line) => void (output.length < 200 && output.push(line)),
    environment: { PATH: `${legacyTools()}:${process.env["PATH"] ?? ""}` },
  });
  try {
    const end = (): void => {
      const state = `it has ended: ${output.slice(-20).join("\n")}`;
      over.abort(new Error(`Cannot measure ${name}: ${state}`));
    };
    void running.exited.then(end);
    if (!(await isSeen(current, started + startPatienceMs))) {
      return { tooSlow: `no connection within ${startPatienceMs / 1000} s of its start` };
    }
    const start = (performance.now() - started) / 1000;
    const sync = await firstSync(subject.syncSeconds);
    await sleep(2000);
    const changes: number[] = [];
    const cpuBefore = cpuSeconds(running.pid);
    const changesEnd = performance.now() + changesPatienceMs;
    for (let n = 0; n < changeCount; n++) {
      [current, other] = [other, current];
      await lead(probe.name, [current]);
      const written = performance.now();
      const isInTime = await isSeen(current, written + patienceMs);
      changes.push(performance.now() - written);
      if (!isInTime || performance.now() > changesEnd) break;
      await sleep(100);
    }
    const cpuPerChangeMs =
      ((cpuSeconds(running.pid) - cpuBefore) * 1000) / Math.max(changes.length, 1);
    // What was sent before there were rules keeps its way without them, and so would a connection from the
    // same port.
    await commands.run(["conntrack", "-F"]);
    const connections = {
      connect: await connects(probe.clusterIP, 80),
      connectDirectly: await connects(current, answeringPort),
    };
    const burst = await measureBurst(running.pid);
    const memory = residentBytes(running.pid);
    return { start, sync, changes, cpuPerChangeMs, ...connections, burst, memory };
  } finally {
    await running.stop();
    client.transport.close();
  }

  async function measureBurst(pid: number): Promise<Burst> {
    const begun = performance.now();
    await changeMany(1);
    const written = performance.now();
    await isSeen(current, written + patienceMs);
    const seen = performance.now();
    signal(pid, "SIGSTOP");
    await changeMany(2);
    signal(pid, "SIGCONT");
    const resumed = performance.now();
    await isSeen(current, resumed + patienceMs);
    return {
      total: (seen - begun) / 1000,
      behind: (seen - written) / 1000,
      atOnce: (performance.now() - resumed) / 1000,
    };
  }

  /** The last of them is the one that can be seen. */
  async function changeMany(generation: number): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < burstCount) {
        const n = next++;
        await lead(n % services, endpointAddresses(n % services, generation));
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    [current, other] = [other, current];
    await lead(probe.name, [current]);
  }
}

/** Connects until the one that answers is the one with this address, or the time is over. */
async function isSeen(address: string, deadline: number): Promise<boolean> {
  const began = performance.now();
  while ((await whoAnswers()) !== address) {
    over.signal.throwIfAborted();
    const now = performance.now();
    if (now > deadline) return false;
    // Coarser when it takes long, so as not to take the processor away from who is waited for.
    await sleep(now - began < 200 ? 1 : 20);
  }
  return true;
}

function whoAnswers(): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: probe.clusterIP, port: 80 });
    const end = (answer: string): void => {
      clearTimeout(timer);
      // One that is not connected yet would be reset when it is, which may take minutes.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
      resolve(answer);
    };
    // What was sent before there were rules is never answered.
    const timer = setTimeout(() => end("nobody"), 200);
    socket.once("data", (data) => end(data.toString()));
    socket.once("error", (error) => end(error.message));
    socket.once("close", () => end("nobody"));
  });
}

async function firstSync(pattern: RegExp): Promise<number> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const response = await fetch("http://127.0.0.1:10249/metrics");
    const found = pattern.exec(await response.text())?.[1];
    if (found !== undefined && Number(found) > 0) return Number(found);
    if (performance.now() > deadline) return Number.NaN;
    await sleep(100);
  }
}

async function connects(address: string, port: number): Promise<Connects> {
  const program = join(import.meta.dirname, "connect.pl");
  const { stdout } = await commands.run(["perl", program, address, String(port), "2000"]);
  const [p50 = 0, p90 = 0, perSecond = 0, refused = 0] = stdout.split(" ").map(Number);
  return { p50, p90, perSecond, refused };
}

/** kube-proxy runs "iptables", whichever that is. */
function legacyTools(): string {
  const directory = join(scratch, "legacy-tools");
  mkdirSync(directory, { recursive: true });
  for (const tool of ["iptables", "ip6tables"]) {
    for (const suffix of ["", "-save", "-restore"]) {
      symlinkIfAbsent(`/usr/sbin/${tool}-legacy${suffix}`, join(directory, `${tool}${suffix}`));
    }
  }
  return directory;
}

function symlinkIfAbsent(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

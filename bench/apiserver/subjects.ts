// The servers that are compared: ours on either store, and the genuine one on etcd.

import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { defined } from "../../src/base/json/defined.ts";
import { startEtcd } from "../../test/fixtures/etcd.ts";
import { freePorts } from "../../test/fixtures/etcd-member.ts";
import { TestServer } from "../../test/fixtures/server.ts";
import { Unavailable } from "../harness.ts";
import { Connection, type Target } from "./connection.ts";

export interface Subject extends Target, AsyncDisposable {
  /** Of the server, and of its store where that is another process. */
  readonly pids: readonly number[];
  /** From the start of the process until it is ready. */
  readonly startMs: number;
}

export type Start = () => Promise<Subject>;

export const subjects: Readonly<Record<string, Start>> = {
  embedded: () => startOurs("embedded"),
  etcd: () => startOurs("etcd"),
  "kube-apiserver": () => startGenuine(),
};

const services = "10.96.0.0/12,fd00:96::/108";
const run = promisify(execFile);

async function startOurs(store: "embedded" | "etcd"): Promise<Subject> {
  const scope = new AsyncDisposableStack();
  const etcd = store === "etcd" ? scope.use(await startEtcd()) : undefined;
  const started = performance.now();
  const server = scope.use(
    await TestServer.start({
      serviceCidr: services,
      // The genuine server runs them in another process.
      arguments: ["--controllers="],
      ...defined({ store: etcd?.storeUrl("/bench") }),
    }),
  );
  return {
    port: server.port,
    tls: server.tls,
    pids: [server.pid, ...(etcd?.members ?? []).map(({ pid }) => pid)],
    startMs: performance.now() - started,
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

/** Built once, on an etcd of its own; `authorization` is its `--authorization-mode`. */
export async function startGenuine(authorization = "RBAC"): Promise<Subject> {
  const binary = await build();
  const scope = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "tandem-bench-"));
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  const etcd = scope.use(await startEtcd());
  const key = join(directory, "sa.key");
  const tokens = join(directory, "tokens");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  await writeFile(tokens, 'bench,admin,1,"system:masters"\n', { mode: 0o600 });
  const [port = 0] = await freePorts(1, "127.0.0.1");
  const started = performance.now();
  const server = await systemCommands().start(
    [
      binary,
      `--etcd-servers=${etcd.client.endpoints.join(",")}`,
      `--service-cluster-ip-range=${services}`,
      `--cert-dir=${join(directory, "certs")}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=10.255.255.1",
      "--endpoint-reconciler-type=none",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      `--authorization-mode=${authorization}`,
      `--token-auth-file=${tokens}`,
      "--disable-admission-plugins=ServiceAccount",
    ],
    { diesWithParent: true },
  );
  scope.defer(async () => {
    await server.stop();
  });
  const target: Target = { port, tls: { rejectUnauthorized: false }, token: "bench" };
  await untilReady(target);
  const startMs = performance.now() - started;
  return {
    ...target,
    pids: [server.pid, ...etcd.members.map(({ pid }) => pid)],
    startMs,
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

async function build(): Promise<string> {
  const script = new URL("../peers/build", import.meta.url).pathname;
  try {
    const { stdout } = await run(script, ["kube-apiserver"], { maxBuffer: 1 << 24 });
    return stdout.trim();
  } catch (error) {
    throw new Unavailable("kube-apiserver could not be built", { cause: error });
  }
}

async function untilReady(target: Target): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      using connection = await Connection.open(target);
      const { code } = await connection.request("GET", "/readyz");
      const space = await connection.request("GET", "/api/v1/namespaces/default");
      if (code === 200 && space.code === 200) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
    }
    if (Date.now() > deadline) throw new Error("kube-apiserver is not ready after a minute");
    await sleep(20);
  }
}

export async function residentBytes(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

// `tandem install-service` beside the real API server: clusters as Kubernetes objects and over REST.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../../src/base/host/error.ts";
import { openLan } from "../fixtures/lan.ts";

type Json = Record<string, unknown>;

const program = join(import.meta.dirname, "../../bin/tandem");
const caller = join(import.meta.dirname, "../fixtures/api-call.ts");
const installs =
  "/apis/extensions.hive.openshift.io/v1beta1/namespaces/default/agentclusterinstalls";
const deployments = "/apis/hive.openshift.io/v1/namespaces/default/clusterdeployments";

test("[VIP-6] an AgentClusterInstall becomes a cluster, and is told of it", async () => {
  await using scope = new AsyncDisposableStack();
  const lan = scope.use(await openLan());
  const host = await lan.join("host", ["192.168.111.20/24"]);
  const kubeconfig = join(lan.scratch, "kubeconfig");
  const start = async (args: readonly string[]) => {
    const serving = Promise.withResolvers<void>();
    const lines: string[] = [];
    const running = await host.commands.start([program, ...args], {
      diesWithParent: true,
      onLine: (line) => {
        lines.push(line);
        if (line.includes("serving")) serving.resolve();
      },
    });
    scope.defer(async () => void (await running.stop()));
    const ended = running.exited.then(() => {
      throw new Error(`Cannot go on: tandem ${args[0]} has ended:\n${lines.join("\n")}`);
    });
    await Promise.race([serving.promise, ended]);
  };
  await start([
    "server",
    `--data-dir=${join(lan.scratch, "data")}`,
    `--kubeconfig-out=${kubeconfig}`,
    "--listen=127.0.0.1:6443",
  ]);
  await start([
    "install-service",
    "run",
    "--kubernetes",
    `--kubeconfig=${kubeconfig}`,
    `--database=sqlite:${join(lan.scratch, "install.sqlite")}`,
    "--listen=127.0.0.1:8090",
  ]);
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const command = [process.execPath, caller, kubeconfig, method, path];
    const stdin = body === undefined ? "" : JSON.stringify(body);
    return JSON.parse((await host.commands.run(command, { stdin })).stdout) as Json;
  };

  await until(() => succeeds(() => call("GET", installs)));
  await call("POST", deployments, {
    apiVersion: "hive.openshift.io/v1",
    kind: "ClusterDeployment",
    metadata: { name: "ostest" },
    spec: { clusterName: "ostest", baseDomain: "example.com" },
  });
  await call("POST", installs, {
    apiVersion: "extensions.hive.openshift.io/v1beta1",
    kind: "AgentClusterInstall",
    metadata: { name: "ostest" },
    spec: {
      clusterDeploymentRef: { name: "ostest" },
      imageSetRef: { name: "openshift-v4.16.2" },
      apiVIPs: ["192.168.111.5", "fd00:111::5"],
      ingressVIPs: ["192.168.111.4", "fd00:111::4"],
      networking: { machineNetwork: [{ cidr: "192.168.111.0/24" }, { cidr: "fd00:111::/64" }] },
    },
  });
  await until(async () => (await statusOf())["apiVIP"] === "192.168.111.5");
  const script = `fetch("http://127.0.0.1:8090/api/assisted-install/v2/clusters")
    .then((answer) => answer.text()).then((text) => process.stdout.write(text))`;
  const { stdout } = await host.commands.run([process.execPath, "-e", script]);
  const clusters = JSON.parse(stdout) as Json[];
  assert.deepEqual(
    clusters.map(({ name, api_vip, kube_key_name }) => [name, api_vip, kube_key_name]),
    [["ostest", "192.168.111.5", "ostest"]],
  );

  async function statusOf(): Promise<Json> {
    return ((await call("GET", `${installs}/ostest`))["status"] ?? {}) as Json;
  }
});

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  while (!(await condition())) {
    deadline.throwIfAborted();
    await delay(100);
  }
}

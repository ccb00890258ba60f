// `tandem vip` as it is run: on every node a process of its own, in front of the real API server.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../../src/base/host/error.ts";
import { type Infrastructure, infrastructures } from "../../src/edge/vip/runtime/cluster-view.ts";
import type { VipStatus } from "../../src/edge/vip/status.ts";
import { bothFamilies, vips } from "../../src/edge/vip/testing/vip.ts";
import { type LanHost, openLan } from "../fixtures/lan.ts";

const program = join(import.meta.dirname, "../../bin/tandem");
const client = join(import.meta.dirname, "../fixtures/api-call.ts");
const master = { "node-role.kubernetes.io/control-plane": "" };

test("[VIP-4, VIP-7] the program follows the API, keeps the VIPs, and tells who holds them and what is wrong", async () => {
  await using scope = new AsyncDisposableStack();
  const lan = scope.use(await openLan());
  const kubeconfig = join(lan.scratch, "kubeconfig");
  const hosts: LanHost[] = [];
  for (const n of [0, 1]) {
    hosts.push(await lan.join(`node-${n}`, [`192.168.111.2${n}/24`, `fd00:111::2${n}/64`]));
  }
  const [first, second] = hosts;
  assert.ok(first !== undefined && second !== undefined);
  const run = async (host: LanHost, args: readonly string[]) => {
    const lines: string[] = [];
    const started = await host.commands.start([program, ...args], {
      diesWithParent: true,
      // It has programs of its own to stop, and says goodbye.
      graceMs: 60_000,
      onLine: (line) => lines.push(line),
    });
    scope.defer(async () => void (await started.stop()));
    return { started, lines };
  };
  const server = await run(first, [
    "server",
    `--data-dir=${join(lan.scratch, "data")}`,
    `--kubeconfig-out=${kubeconfig}`,
    "--listen=192.168.111.20:6443,[fd00:111::20]:6443",
    `--tls-san=${bothFamilies.vips.api.join(",")}`,
  ]);
  await until(() => server.lines.some((line) => line.includes("serving")));
  const call = (method: string, path: string, body: object) =>
    second.commands.run([process.execPath, client, kubeconfig, method, path], {
      stdin: JSON.stringify(body),
    });
  const both = bothFamilies.vips.api.map(String);
  const infrastructure: Infrastructure = {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
  };
  const status = {
    infrastructureName: "ostest",
    platformStatus: {
      type: "BareMetal",
      baremetal: { apiServerInternalIPs: both },
    },
  };
  const place = `/apis/${infrastructures.group}/${infrastructures.version}/${infrastructures.plural}`;
  await call("POST", place, infrastructure);
  await call("PATCH", `${place}/cluster/status`, { status });
  for (const [n, host] of hosts.entries()) {
    const addresses = [`192.168.111.2${n}`, `fd00:111::2${n}`];
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: host.name, labels: master },
      status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
    };
    await call("POST", "/api/v1/nodes", node);
    await call("PATCH", `/api/v1/nodes/${host.name}/status`, { status: node.status });
  }

  const start = (host: LanHost) =>
    run(host, [
      "vip",
      "run",
      `--kubeconfig=${kubeconfig}`,
      `--node=${host.name}`,
      `--directory=${join(lan.scratch, host.name)}`,
    ]);
  const running = await start(first);
  await start(second);
  const outside = await lan.join("outside", ["192.168.111.9/24", "fd00:111::9/64"]);
  const holders = async () =>
    (await vipStatus(outside)).map((vip) => vip.holders.map((one) => one.node));
  await until(async () => (await holders()).join(";") === "node-0;node-0");
  for (const host of [`${vips.IPv4.api}`, `[${vips.IPv6.api}]`]) {
    await until(() => answers(outside, `https://${host}:6443/readyz`));
  }

  const place1 = "/api/v1/nodes/node-1/status";
  const addressed = (...texts: readonly string[]) => ({
    status: { addresses: texts.map((address) => ({ type: "InternalIP", address })) },
  });
  await call("PATCH", place1, addressed("192.168.111.77", "fd00:111::21"));
  await until(async () => {
    const { exitCode, stderr } = await told(outside);
    return exitCode === 1 && /^node-1: Cannot render .*192\.168\.111\.77$/m.test(stderr);
  });
  await call("PATCH", place1, addressed("192.168.111.21", "fd00:111::21"));
  await until(async () => (await told(outside)).exitCode === 0);

  const moved = { baremetal: { apiServerInternalIPs: ["192.168.111.9", "fd00:111::5"] } };
  await call("PATCH", `${place}/cluster/status`, { status: { platformStatus: moved } });
  await until(async () => (await told(outside)).exitCode === 0);
  assert.equal((await holders()).join(";"), "node-0;node-0", "the first VIP stays where it is");

  const asked = [process.execPath, client, kubeconfig, "GET", `${place}/cluster`];
  const { stdout } = await second.commands.run(asked, { stdin: "" });
  const { metadata, ...backup } = JSON.parse(stdout) as Infrastructure;
  const { name, annotations = {} } = metadata;
  await call("DELETE", `${place}/cluster`, {});
  await call("POST", place, { ...backup, metadata: { name, annotations } });
  await until(async () => (await told(outside)).exitCode === 0);
  assert.equal((await holders()).join(";"), "node-0;node-0", "a restored object changes nothing");

  await running.started.stop();
  await until(async () => (await holders()).join(";") === "node-1;node-1");

  /** What people are told, and how it ends. */
  async function told(host: LanHost): Promise<{ exitCode: number; stderr: string }> {
    try {
      await host.commands.run([program, "vip", "status", "--kubeconfig", kubeconfig]);
      return { exitCode: 0, stderr: "" };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return { exitCode: error.exitCode ?? -1, stderr: error.stderr };
    }
  }

  async function vipStatus(host: LanHost): Promise<VipStatus[]> {
    const command = [program, "vip", "status", "--output", "json", "--kubeconfig", kubeconfig];
    try {
      return JSON.parse((await host.commands.run(command)).stdout) as VipStatus[];
    } catch (error) {
      // A VIP that nobody holds makes it end with 1, and say so all the same.
      if (!(error instanceof CommandError) || error.stdout === "") throw error;
      return JSON.parse(error.stdout) as VipStatus[];
    }
  }
});

async function answers(host: LanHost, url: string): Promise<boolean> {
  const script = `fetch(${JSON.stringify(url)}).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
  try {
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
    await host.commands.run([process.execPath, "-e", script], { environment });
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  while (!(await condition())) {
    deadline.throwIfAborted();
    await delay(100);
  }
}

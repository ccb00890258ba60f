// Clients create and delete services on two servers over one etcd while the servers are killed and
// started again. What is then in etcd is counted without any of the code that put it there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { until } from "../fixtures/controllers.ts";
import { startEtcd } from "../fixtures/etcd.ts";
import { TestServer } from "../fixtures/server.ts";

const services = process.env.TANDEM_SOAK === "1" ? 5_000 : 300;
const clients = 20;
const kills = process.env.TANDEM_SOAK === "1" ? 20 : 4;
const prefix = "/shared";
const path = "/api/v1/namespaces/default/services";

interface StoredService {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly clusterIPs?: readonly string[];
    readonly ports?: readonly { readonly nodePort?: number }[];
  };
}

test(`[SVC-5] ${clients} clients, two servers, ${kills} kills: ${services} services share no address and no port`, async () => {
  await using etcd = await startEtcd();
  const options = { store: etcd.storeUrl(prefix), serviceCidr: "10.96.0.0/18,fd00:96::/112" };
  await using one = await TestServer.start(options);
  await using two = await TestServer.start(options);
  const servers = [one, two];
  const expected = new Set<string>();
  const killing = killInTurn(servers);
  await Promise.all(
    Array.from({ length: clients }, (_, client) => work(servers, { client, expected, killing })),
  );
  await killing.done;
  // Nobody puts anything right before it was counted.
  for (const server of servers) await server.kill();
  const etcdctl = toolFor(etcd.members[0]?.endpoint ?? "");
  // Somebody's mistake: a service goes without its reservations.
  const [victim = ""] = expected;
  await etcdctl("del", `${prefix}/registry/core/services/default/${victim}`);
  expected.delete(victim);
  const before = await count(etcdctl);
  assert.ok(before.reserved.size > before.held.length, "something has leaked");
  await one.launch();
  const after = await until(
    () => count(etcdctl),
    ({ held, reserved }) => held.length === reserved.size,
  );
  assert.deepEqual(new Set(after.names), new Set([...expected, "kubernetes"]));
  assert.equal(new Set(after.held).size, after.held.length, "nothing is held twice");
  assert.deepEqual(after.reserved, new Set(after.held));
});

/** Creates services of all sorts and deletes every other one, for as long as servers are killed. */
async function work(
  servers: readonly TestServer[],
  { client, expected, killing }: { client: number; expected: Set<string>; killing: Killing },
): Promise<void> {
  const least = Math.ceil(services / clients);
  for (let number = 0; number < least || killing.left > 0; number++) {
    const name = `s-${client}-${number}`;
    const spec = {
      type: number % 3 === 0 ? "NodePort" : "ClusterIP",
      ipFamilyPolicy: number % 2 === 0 ? "PreferDualStack" : "SingleStack",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    };
    // 409: it was created, though nobody could say so.
    await insist(servers, "POST", path, { body: { metadata: { name }, spec }, fine: [201, 409] });
    expected.add(name);
    if (number % 2 === 0) continue;
    const victim = `s-${client}-${number - (Math.random() < 0.5 ? 0 : 1)}`;
    if (!expected.has(victim)) continue;
    await insist(servers, "DELETE", `${path}/${victim}`, { fine: [200, 404] });
    expected.delete(victim);
  }
}

/** On whichever server answers. */
async function insist(
  servers: readonly TestServer[],
  method: string,
  target: string,
  { body, fine }: { body?: object; fine: readonly number[] },
): Promise<void> {
  for (;;) {
    const server = servers[Math.floor(Math.random() * servers.length)];
    try {
      const answer = await server?.call(method, target, body);
      if (answer !== undefined && fine.includes(answer.code)) return;
      assert.ok((answer?.code ?? 500) >= 500 || answer?.code === 429, answer?.text ?? "");
    } catch (error) {
      // Killed under the request.
      if (!(error instanceof Error) || error instanceof assert.AssertionError) throw error;
    }
    await sleep(20 + Math.random() * 60);
  }
}

interface Killing {
  readonly left: number;
  readonly done: Promise<void>;
}

function killInTurn(servers: readonly TestServer[]): Killing {
  const killing = { left: kills, done: Promise.resolve() };
  killing.done = (async () => {
    try {
      for (; killing.left > 0; killing.left--) {
        const server = servers[killing.left % servers.length];
        await sleep(300 + Math.random() * 700);
        await server?.kill();
        await server?.launch();
      }
    } finally {
      killing.left = 0;
    }
  })();
  return killing;
}

type Tool = (...args: string[]) => Promise<string>;

function toolFor(endpoint: string): Tool {
  return async (...args) => {
    const limits = ["--dial-timeout=30s", "--command-timeout=30s"];
    const command = ["etcdctl", `--endpoints=${endpoint}`, ...limits, ...args];
    const environment = { ETCDCTL_API: "3" };
    return (await systemCommands().run(command, { environment })).stdout;
  };
}

/** What services hold, and what is reserved: `10.96.0.7`, `30001`. */
async function count(etcdctl: Tool) {
  const read = async (below: string) => {
    const text = await etcdctl("get", "--prefix", "--write-out=json", `${prefix}${below}`);
    const { kvs = [] } = JSON.parse(text) as { kvs?: { key: string; value: string }[] };
    return kvs.map(({ key, value }) => ({
      name: decode(key).slice(prefix.length + below.length),
      text: decode(value),
    }));
  };
  const stored = (await read("/registry/core/services/")).map(
    ({ text }) => JSON.parse(text) as StoredService,
  );
  const held = stored.flatMap(({ spec }) => [
    ...(spec.clusterIPs ?? []),
    ...(spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [String(nodePort)] : [])),
  ]);
  const addresses = await read("/registry/networking.k8s.io/ipaddresses/");
  const ports = await read("/allocations/nodeports/");
  return {
    names: stored.map(({ metadata }) => metadata.name),
    held,
    reserved: new Set([...addresses, ...ports].map(({ name }) => name)),
  };
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}

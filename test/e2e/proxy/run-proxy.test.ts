import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FakeApi } from "../../../src/api/client/testing/api.ts";
import type { Service } from "../../../src/api/types/core.ts";
import { systemClock } from "../../../src/base/host/clock.system.ts";
import { systemNft } from "../../../src/base/host/nft.system.ts";
import { systemRandom } from "../../../src/base/host/random.system.ts";
import type { Family } from "../../../src/base/net/family.ts";
import { Prefix } from "../../../src/base/net/prefix.ts";
import { createLog } from "../../../src/base/program/log.ts";
import { Registry } from "../../../src/base/program/metrics.ts";
import { cleanUp } from "../../../src/node/proxy/clean-up.ts";
import { tableName } from "../../../src/node/proxy/nftables/table-names.ts";
import { runProxy } from "../../../src/node/proxy/run-proxy.ts";
import { defaultProxySettings } from "../../../src/node/proxy/settings.ts";
import { showService } from "../../../src/node/proxy/show/show-service.ts";
import { wordsOf } from "../../../src/node/proxy/table/words.ts";
import { openSandbox } from "../host/sandbox.ts";

const sandbox = await openSandbox();
const { commands } = await sandbox.enter("node");
const network = Prefix.parse("10.96.0.0/16");
const count = 1000;

function service(n: number): Service {
  const clusterIP = network.at(BigInt(n + 1)).toString();
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `s${n}`, namespace: "shop" },
    spec: {
      type: "ClusterIP" as const,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[],
      ports: [{ name: "p", port: 80, protocol: "TCP" as const }],
    },
  };
}

/** A server that checks nothing lets all of this through. */
function badService(n: number): Service {
  const good = service(n);
  return {
    ...good,
    spec: {
      ...good.spec,
      externalIPs: ["2001:db8::1", "300.1.1.1", 'x"; flush ruleset'],
      ports: [
        { name: "p", port: 80, protocol: "TCP" as const },
        { name: "q", port: 99_999, protocol: "TCP" as const },
        { name: "r", port: 81, protocol: "ICMP" as "TCP" },
      ],
    },
  };
}

/** Runs against objects that no server has looked at; `until` fails when the time is over. */
async function start(api: FakeApi) {
  const over = new AbortController();
  const deadline = AbortSignal.timeout(90_000);
  const log = createLog({ format: "text", write: () => undefined });
  const parts = { client: api.client, clock: systemClock, random: systemRandom, commands, log };
  const settings = { ...defaultProxySettings, node: "here", healthzAddress: [], healthAddress: [] };
  const metrics = new Registry();
  const running = runProxy(settings, { ...parts, metrics }, over.signal);
  return {
    metrics,
    until: async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await isSo())) {
        deadline.throwIfAborted();
        await sleep(20);
      }
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      over.abort();
      await running;
      await cleanUp({ commands, log });
    },
  };
}

test("[PROXY-5] one bad service among 1,000 leaves the others working, and is told of", {
  timeout: 120_000,
}, async () => {
  const api = new FakeApi();
  const services = api.client.resource("v1", "Service");
  for (let n = 0; n < count; n++) await services.create(n === 500 ? badService(n) : service(n));
  await using proxy = await start(api);
  const { metrics } = proxy;
  await proxy.until(() =>
    metrics.render().includes(`tandem_proxy_frontends{family="IPv4"} ${count}`),
  );
  for (const n of [0, 499, 500, 501, count - 1]) {
    const [place, ...more] = await showService(`shop/s${n}`, commands);
    assert.equal(place?.address, network.at(BigInt(n + 1)).toString());
    assert.deepEqual(more, [], `s${n}`);
  }
  const events = api.client.resource("v1", "Event");
  const messages = async (): Promise<readonly string[]> => {
    const { items } = await events.listAll({ namespace: "shop" });
    assert(items.every(({ involvedObject }) => involvedObject.name === "s500"));
    return items.map(({ message = "" }) => message).toSorted();
  };
  await proxy.until(async () => (await messages()).length >= 5);
  assert.deepEqual(await messages(), [
    'Cannot use spec.externalIPs[0] "2001:db8::1": the service takes no IPv6',
    'Cannot use spec.externalIPs[1] "300.1.1.1": it is not an address',
    'Cannot use spec.externalIPs[2] "x\\"; flush ruleset": it is not an address',
    'Cannot use spec.ports[1].port "99999": it is not between 1 and 65535',
    'Cannot use spec.ports[2].protocol "ICMP": it is none of TCP, UDP and SCTP',
  ]);
  assert.match(metrics.render(), /tandem_proxy_services_with_problems 1/);
});

test("[PROXY-3] node ports follow the addresses of the node", { timeout: 120_000 }, async () => {
  const api = new FakeApi();
  const nodes = api.client.resource("v1", "Node");
  const nft = systemNft(commands);
  await using proxy = await start(api);
  const served = async (family: Family): Promise<readonly string[]> => {
    const set = {
      table: wordsOf(family, tableName).table,
      kind: "set",
      name: "node-addresses",
    } as const;
    return (await nft.elements(set).catch(() => [])).flatMap(({ key }) => key);
  };
  const become = async (internal: readonly string[]): Promise<void> => {
    const addresses = internal.map((address) => ({ type: "InternalIP", address }));
    await nodes.patchStatus({ name: "here" }, { merge: { status: { addresses } } });
  };
  await nodes.create({ metadata: { name: "here" }, spec: {} });
  await become(["192.0.2.1", "2001:db8::1"]);
  await proxy.until(async () => (await served("IPv6")).join() === "2001:db8::1");
  await become(["192.0.2.2", "192.0.2.3"]);
  await proxy.until(async () => (await served("IPv4")).join() === "192.0.2.2");
  await proxy.until(async () => (await served("IPv6")).length === 0);
});

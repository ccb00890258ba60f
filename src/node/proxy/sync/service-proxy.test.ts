import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeConntrack } from "../../../base/host/conntrack.fake.ts";
import { HostError } from "../../../base/host/error.ts";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { flowCleaner } from "../flows/clean-flows.ts";
import { FakeFlows } from "../flows/flows.fake.ts";
import { nftablesProxier } from "../nftables/proxier.ts";
import { openState, put, service, settingsOf, slices } from "../plan/testing/scenario.ts";
import { FamilySync } from "./family-sync.ts";
import { registerProxyMetrics } from "./metrics.ts";
import { ServiceProxy } from "./service-proxy.ts";

const failure = new HostError("Cannot run nft: out of order", { reason: "failed" });

function open(context: TestContext) {
  const clock = new FakeClock();
  const state = openState();
  const registry = new Registry();
  const metrics = registerProxyMetrics(registry);
  const conntrack = new FakeConntrack();
  const flows = new FakeFlows();
  const logged: string[] = [];
  const log = createLog({ format: "text", write: (line) => logged.push(line) });
  const nfts: Record<Family, FakeNft> = { IPv4: new FakeNft(), IPv6: new FakeNft() };
  const proxiers = families.map((family) =>
    nftablesProxier({ nft: nfts[family], settings: settingsOf(family) }),
  );
  const syncs = proxiers.map((proxier) => {
    const { family } = proxier;
    const settings = settingsOf(family);
    const table = state.tables[family];
    return new FamilySync({
      proxier,
      cleaner: flowCleaner({ flows, conntrack, settings, table }),
      table,
      metrics,
      clock,
      log,
    });
  });
  const told: string[] = [];
  const proxy = new ServiceProxy({
    state,
    syncs,
    clock,
    log,
    onStatus: (status) =>
      told.push(status.map(({ family, error }) => `${family} ${error ? "bad" : "good"}`).join()),
  });
  const abort = new AbortController();
  let running = Promise.resolve();
  context.after(async () => {
    abort.abort();
    await running;
    assert.equal(clock.pending, 0, "no timer is left");
  });
  let revision = 0;
  return {
    nfts,
    proxiers,
    clock,
    flows,
    conntrack,
    logged,
    registry,
    proxy,
    told,
    start: async (): Promise<void> => {
      running = proxy.run(abort.signal);
      await clock.advance(0);
    },
    change: async (...objects: Parameters<typeof put>[1]): Promise<void> => {
      put(state, objects);
      proxy.notify({ services: String(++revision) });
      await clock.advance(0);
    },
  };
}

test("what there is at the start is put into the kernel at once, then every change", async (t) => {
  const { nfts, proxy, start, change, registry } = open(t);
  await change(service(), ...slices(["a"]));
  assert.deepEqual(nfts.IPv4.applied, [], "not before it runs");
  assert.equal(proxy.status[0]?.synced, undefined);
  await start();
  assert.deepEqual(proxy.status[0]?.synced, { services: "1" });
  for (const family of families) assert.match(nfts[family].dump, /goto service-pick-1/);
  await change(...slices(["a", "b"]));
  for (const family of families) {
    assert.match(nfts[family].dump, /goto service-pick-2/);
    assert.equal(nfts[family].applied.length, 2);
  }
  assert.deepEqual(proxy.status[0]?.synced, { services: "2" });
  assert.match(
    registry.render(),
    /tandem_proxy_synced_revision\{family="IPv4",resource="services"\} 2/,
  );
  assert.match(
    registry.render(),
    /tandem_proxy_sync_seconds_count\{family="IPv6",kind="change"\} 1/,
  );
});

test("what is no longer used goes a moment later", async (t) => {
  const { nfts, start, change, clock } = open(t);
  await change(service(), ...slices(["a"]));
  await start();
  await change(...slices(["a", "b"]));
  assert.match(nfts.IPv4.dump, /chain ip tandem-proxy service-pick-1/);
  await clock.advance(1000);
  assert.doesNotMatch(nfts.IPv4.dump, /chain ip tandem-proxy service-pick-1/);
});

test("what is still in use is looked at again", async (t) => {
  const { proxiers, start, change, clock } = open(t);
  await start();
  let sweeps = 0;
  for (const proxier of proxiers) {
    proxier.sweep = async () => Promise.resolve(++sweeps > families.length);
  }
  await change(service(), ...slices(["a"]));
  await clock.advance(1000);
  assert.equal(sweeps, 2);
  await clock.advance(10_000);
  assert.equal(sweeps, 4);
  await clock.advance(60_000);
  assert.equal(sweeps, 4, "until nothing is left");
});

test("[PROXY-7] a change that fails leads to a replacement", async (t) => {
  const { nfts, start, change, proxy, logged } = open(t);
  await change(service(), ...slices(["a"]));
  await start();
  await nfts.IPv4.apply("flush map ip tandem-proxy service-endpoints");
  await change(...slices(["b"]));
  assert.match(nfts.IPv4.dump, /10\.1\.2\.11 \. 8080/);
  assert.deepEqual(proxy.status[0]?.synced, { services: "2" });
  assert.match(logged.join(""), /Cannot change rules; replacing all of them/);
});

test("one family that fails does not hold up the other, and is tried again", async (t) => {
  const { nfts, start, change, proxy, clock, registry, told } = open(t);
  await change(service(), ...slices(["a"]));
  nfts.IPv6.failNextApply(failure);
  await start();
  assert.match(nfts.IPv4.dump, /service-pick-1/);
  assert.equal(nfts.IPv6.dump, "");
  assert.deepEqual(proxy.status[0]?.synced, { services: "1" });
  assert.equal(proxy.status[1]?.synced, undefined, "not all of it is in the kernel");
  assert.equal(proxy.status[1]?.error, failure);
  await clock.advance(200);
  assert.match(nfts.IPv6.dump, /service-pick-1/);
  assert.deepEqual(proxy.status[1]?.synced, { services: "1" });
  assert.equal(proxy.status[1]?.error, undefined);
  assert.match(registry.render(), /tandem_proxy_sync_errors_total\{family="IPv6"\} 1/);
  assert.deepEqual(told, ["IPv4 good,IPv6 bad", "IPv4 good,IPv6 good"]);
});

test("[PROXY-7] rules that somebody has flushed are put back", async (t) => {
  const { nfts, start, change, clock, registry, logged } = open(t);
  await change(service(), ...slices(["a"]));
  await start();
  const before = nfts.IPv4.dump;
  await nfts.IPv4.apply("flush ruleset");
  await clock.advance(5000);
  assert.equal(nfts.IPv4.dump, before);
  assert.match(registry.render(), /tandem_proxy_repairs_total\{family="IPv4"\} 1/);
  assert.match(logged.join(""), /Somebody has removed the rules/);
});

test("[PROXY-7] what somebody has changed is put right by and by", async (t) => {
  const { nfts, start, change, clock } = open(t);
  await change(service(), ...slices(["a"]));
  await start();
  const before = nfts.IPv4.dump;
  await nfts.IPv4.apply("flush map ip tandem-proxy services; add chain ip tandem-proxy foreign");
  await clock.advance(600_000);
  assert.equal(nfts.IPv4.dump, before);
});

test("[PROXY-6] stale flows go with the change that made them so", async (t) => {
  const { flows, conntrack, start, change, registry } = open(t);
  const udp = { ports: [{ port: 53, protocol: "UDP" as const }] };
  await change(service(udp), ...slices(["a", "b"], udp));
  await start();
  assert.equal(flows.lists, 2, "once for each family, at the start");
  const flow = {
    destination: { address: "10.96.0.1", port: 53 },
    answerer: { address: "10.1.2.11", port: 53 },
  };
  flows.flows.IPv4 = [flow];
  await change(...slices(["a"], udp));
  assert.equal(conntrack.text, "udp 10.96.0.1:53 answered by 10.1.2.11");
  assert.match(registry.render(), /tandem_proxy_stale_flows_total/);
  const lists = flows.lists;
  await change(service({ name: "tcp", cluster: ["other"] }), ...slices(["a"], { of: "tcp" }));
  assert.equal(flows.lists, lists, "nobody looks when no place for datagrams has changed");
});

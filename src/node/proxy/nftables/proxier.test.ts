import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HostError, isAlreadyExists } from "../../../base/host/error.ts";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import type { Family } from "../../../base/net/family.ts";
import type { DesiredState } from "../plan/desired-state.ts";
import { openState, put, service, settingsOf, slices } from "../plan/testing/scenario.ts";
import { fill, proxierContract } from "../testing/proxier.contract.ts";
import { nftablesProxier } from "./proxier.ts";

const everything = {
  type: "LoadBalancer",
  lb: ["lb"],
  external: ["external"],
  ports: [{ port: 80, nodePort: 30080 }],
} as const;

async function open(state: DesiredState, family: Family = "IPv4") {
  const nft = new FakeNft();
  const proxier = nftablesProxier({ nft, settings: settingsOf(family) });
  await fill(proxier, state);
  return { nft, proxier };
}

/** The number of an endpoint, as the fake prints it. */
const number = (index: number): number => 0x7d000000 + index;

/** Returns the elements of the tables, without those of the layout. */
function elements({ dump }: FakeNft): readonly string[] {
  return dump
    .split("\n")
    .filter((line) => line.startsWith("add element") && !/ layout /.test(line));
}

describe("what a service puts into the table", () => {
  test("a cluster IP with two endpoints, one of them here", async () => {
    const state = openState();
    put(state, [service(), ...slices(["a", "b"])]);
    const { nft } = await open(state);
    assert.deepEqual(elements(nft), [
      "add element ip tandem-proxy cluster-ips { 10.96.0.1 }",
      "add element ip tandem-proxy hairpin { 10.1.1.10 . 10.1.1.10 }",
      "add element ip tandem-proxy node-addresses { 192.168.0.0/24 }",
      `add element ip tandem-proxy service-endpoints { 10.96.0.1 . tcp . 80 . ${number(0)} : 10.1.1.10 . 8080 }`,
      `add element ip tandem-proxy service-endpoints { 10.96.0.1 . tcp . 80 . ${number(1)} : 10.1.2.11 . 8080 }`,
      'add element ip tandem-proxy services { 10.96.0.1 . tcp . 80 comment "shop/web:80" : goto service-pick-2 }',
    ]);
  });

  test("without endpoints: a refusal, and nothing else", async () => {
    const state = openState();
    put(state, [service()]);
    const { nft } = await open(state, "IPv6");
    assert.deepEqual(elements(nft), [
      "add element ip6 tandem-proxy cluster-ips { fd00:96::1 }",
      "add element ip6 tandem-proxy node-addresses { fd00:192::/64 }",
      'add element ip6 tandem-proxy services { fd00:96::1 . tcp . 80 comment "shop/web:80" : goto refuse }',
    ]);
  });

  test("[PROXY-4] an ipv4 service leaves no trace in the other family but the refusal", async () => {
    const state = openState();
    put(state, [service({ ...everything, endpointFamily: "ipv4" }), ...slices(["a"])]);
    const { nft } = await open(state, "IPv6");
    assert.deepEqual(elements(nft), [
      "add element ip6 tandem-proxy cluster-ips { fd00:96::1 }",
      "add element ip6 tandem-proxy node-addresses { fd00:192::/64 }",
      'add element ip6 tandem-proxy services { fd00:96::1 . tcp . 80 comment "shop/web:80" : goto refuse }',
    ]);
  });

  test("source ranges: one set per length of prefix", async () => {
    const state = openState();
    const loadBalancerSourceRanges = ["10.0.0.0/8", "172.16.0.0/12", "172.17.0.0/12", "1.2.3.4/32"];
    put(state, [service({ lb: ["lb"], loadBalancerSourceRanges }), ...slices(["b"])]);
    const { nft } = await open(state);
    const lines = nft.dump.split("\n").filter((line) => /check-source|sources-|guarded/.test(line));
    const type = "{ type ipv4_addr . ipv4_addr . inet_proto . inet_service; }";
    const key = "ip daddr . meta l4proto . th dport";
    assert.deepEqual(lines, [
      "add set ip tandem-proxy guarded { type ipv4_addr . inet_proto . inet_service; }",
      `add set ip tandem-proxy sources-8 ${type}`,
      `add set ip tandem-proxy sources-12 ${type}`,
      `add set ip tandem-proxy sources-32 ${type}`,
      "add chain ip tandem-proxy check-source",
      `add rule ip tandem-proxy check-source ip saddr and 255.0.0.0 . ${key} @sources-8 return`,
      `add rule ip tandem-proxy check-source ip saddr and 255.240.0.0 . ${key} @sources-12 return`,
      `add rule ip tandem-proxy check-source ip saddr . ${key} @sources-32 return`,
      "add rule ip tandem-proxy check-source drop",
      `add rule ip tandem-proxy dispatch ${key} @guarded jump check-source`,
      "add element ip tandem-proxy guarded { 198.51.100.7 . tcp . 80 }",
      "add element ip tandem-proxy sources-8 { 10.0.0.0 . 198.51.100.7 . tcp . 80 }",
      "add element ip tandem-proxy sources-12 { 172.16.0.0 . 198.51.100.7 . tcp . 80 }",
      "add element ip tandem-proxy sources-32 { 1.2.3.4 . 198.51.100.7 . tcp . 80 }",
    ]);
  });
});

describe("[PROXY-6] a change is a few elements", () => {
  const last = ({ applied }: FakeNft): string | undefined => applied.at(-1);
  const start = async (shape: Parameters<typeof service>[0] = {}) => {
    const state = openState();
    put(state, [service(shape), ...slices(["a", "b"])]);
    const opened = await open(state);
    const change = async (...objects: Parameters<typeof put>[1]): Promise<string | undefined> => {
      put(state, objects);
      await opened.proxier.apply(state.takeChange().deltas.IPv4);
      return last(opened.nft);
    };
    return { ...opened, change };
  };

  test("an endpoint that is replaced by another", async () => {
    const { change } = await start();
    assert.equal(
      await change(...slices(["a", "c"])),
      `delete element ip tandem-proxy service-endpoints { 10.96.0.1 . tcp . 80 . 0x7d000001 }
add element ip tandem-proxy service-endpoints { 10.96.0.1 . tcp . 80 . 0x7d000001 : 10.1.3.12 . 8080 }
`,
    );
  });

  test("one more endpoint: a chain that picks one of three, made on first use", async () => {
    const { change, nft } = await start();
    assert.equal(
      await change(...slices(["a", "b", "c"])),
      `add chain ip tandem-proxy service-pick-3
add rule ip tandem-proxy service-pick-3 meta priority set numgen random mod 3 offset 2097152000 dnat ip to ip daddr . meta l4proto . th dport . meta priority map @service-endpoints
add rule ip tandem-proxy service-pick-3 drop
delete element ip tandem-proxy services { 10.96.0.1 . tcp . 80 }
add element ip tandem-proxy services { 10.96.0.1 . tcp . 80 comment "shop/web:80" : goto service-pick-3 }
add element ip tandem-proxy service-endpoints { 10.96.0.1 . tcp . 80 . 0x7d000002 : 10.1.3.12 . 8080 }
`,
    );
    assert.match(nft.dump, /service-pick-2/, "the other is still there");
  });

  test("what is no longer used is swept away, unless it is used again", async () => {
    const { change, nft, proxier } = await start();
    await change(...slices(["a", "b", "c"]));
    await change(...slices(["a", "b"]));
    await proxier.sweep();
    assert.doesNotMatch(nft.dump, /service-pick-3/);
    assert.match(nft.dump, /service-pick-2/);
    const count = nft.applied.length;
    await proxier.sweep();
    assert.equal(nft.applied.length, count, "there is nothing more to sweep");
  });
});

proxierContract("nftables", (settings) => {
  const nft = new FakeNft();
  return {
    proxier: nftablesProxier({ nft, settings }),
    dump: async () => nft.dump,
    writes: () => nft.applied.length,
    flush: () => nft.apply("flush ruleset"),
    addOthers: () => nft.apply("add table ip other; add chain ip other tandem-proxy"),
  };
});

describe("[PROXY-7] replacing the table", () => {
  const tooLarge = new HostError("Cannot run nft: Message too long", { reason: "too-large" });
  const filled = (): DesiredState => {
    const state = openState();
    put(state, [service({ ...everything, sessionAffinity: "ClientIP" }), ...slices(["a", "b"])]);
    return state;
  };

  test("whatever was in it goes, what clients were led to stays", async () => {
    const state = filled();
    const { nft, proxier } = await open(state);
    const before = nft.dump;
    await nft.apply("add element ip tandem-proxy affinity { 1 . 2 timeout 60s : 0x7d000001 }");
    const remembered = nft.dump;
    await nft.apply("add chain ip tandem-proxy foreign; flush map ip tandem-proxy services");
    assert(await proxier.isIntact());
    await fill(proxier, state);
    assert.equal(nft.dump, remembered);
    await nft.apply("flush ruleset");
    assert(!(await proxier.isIntact()));
    await fill(proxier, state);
    assert.equal(nft.dump, before);
  });

  test("a load too large for one transaction comes by another table, and there and back", async () => {
    const state = filled();
    const { nft, proxier } = await open(state);
    const renamed = (name: string) => nft.dump.replaceAll(new RegExp(`\\b${name} `, "g"), "NAME ");
    const before = renamed("tandem-proxy");
    nft.failNextApply(tooLarge);
    await fill(proxier, state);
    assert.equal(renamed("tandem-proxy-2"), before);
    assert(await proxier.isIntact());
    put(state, slices(["a"]));
    await proxier.apply(state.takeChange().deltas.IPv4);
    nft.failNextApply(tooLarge);
    await fill(proxier, state);
    assert.deepEqual(await nft.tables(), [{ family: "ip", name: "tandem-proxy" }]);
  });

  test("a table that was left unfinished is no more than a leftover", async () => {
    const state = filled();
    const { nft, proxier } = await open(state);
    const before = nft.dump;
    await nft.apply("add table ip tandem-proxy-2; add chain ip tandem-proxy-2 dispatch");
    assert(await proxier.isIntact());
    await fill(proxier, state);
    assert.equal(nft.dump, before);
  });

  test("a failure that is no matter of size is passed on, and nothing has changed", async () => {
    const state = filled();
    const { nft, proxier } = await open(state);
    const before = nft.dump;
    nft.failNextApply(new HostError("Cannot run nft: exists", { reason: "already-exists" }));
    await assert.rejects(proxier.replace([]), isAlreadyExists);
    assert.equal(nft.dump, before);
  });

  test("removing takes an unfinished table along", async () => {
    const { nft, proxier } = await open(filled());
    await nft.apply("add table ip tandem-proxy-2");
    await proxier.remove();
    assert.deepEqual(await nft.tables(), []);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { FakeIp } from "../../../base/host/ip.fake.ts";
import type { LinkAddress } from "../../../base/host/ip.ts";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { defaultSettings } from "../settings.ts";
import { bothFamilies, nodeOf, nodesOf } from "../testing/vip.ts";
import type { KnownVips } from "./known-vips.ts";
import { VipRuntime } from "./runtime.ts";
import type { NodeReport, VipSource, VipView } from "./source.ts";

const config = "/state/keepalived.conf";

/** A runtime of master-0 on a fake machine. */
function open(initial: VipView, kept?: FakeFiles["files"]) {
  const commands = new FakeCommands();
  const files = new FakeFiles();
  for (const [path, file] of kept ?? []) files.files.set(path, file);
  const known: (KnownVips | undefined)[] = [];
  const ip = new FakeIp();
  const nft = new FakeNft();
  const clock = new FakeClock();
  const metrics = new Registry();
  const reports: NodeReport[] = [];
  const lines: string[] = [];
  const state = { view: initial as VipView | Error, changed: () => undefined as void };
  ip.shown.addresses = nodeOf(0).addresses.map((address) => onLink(String(address)));
  const source: VipSource = {
    async read(_signal, knownVips) {
      known.push(knownVips);
      if (state.view instanceof Error) throw state.view;
      return state.view;
    },
    subscribe(changed) {
      state.changed = changed;
      return () => undefined;
    },
    publish: async (report) => void reports.push(report),
  };
  const stop = new AbortController();
  const running = new VipRuntime({
    node: "master-0",
    source,
    machine: { commands, files, ip, nft, clock },
    settings: defaultSettings,
    directory: "/state",
    log: createLog({ write: (line) => lines.push(line), format: "json" }),
    metrics,
  }).run(stop.signal);
  return {
    commands,
    files,
    ip,
    nft,
    clock,
    metrics,
    reports,
    known,
    lines,
    started: () => commands.started.length,
    async show(view: VipView | Error) {
      state.view = view;
      state.changed();
      await clock.advance(1_000);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

function onLink(text: string): LinkAddress {
  const address = Address.parse(text);
  const prefix = Prefix.of(address, address.family === "IPv4" ? 32 : 128);
  return { link: "eth0", address, prefix, scope: "global", tentative: false, duplicate: false };
}

const alone: VipView = { cluster: bothFamilies, nodes: nodesOf(1) };
const three: VipView = { cluster: bothFamilies, nodes: nodesOf(3) };

test("[VIP-4] a configuration is validated before it is put into force", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const tested = node.commands.calls.map(({ command }) => command.join(" "));
  const asked = tested.indexOf(`keepalived --config-test --use-file ${config}.candidate`);
  const start = tested.findIndex((line) => line.startsWith("keepalived --dont-fork"));
  assert.ok(asked >= 0 && start > asked, tested.join("\n"));
  assert.match((await node.files.read(config)) ?? "", /vrrp_instance ostest_API_0/);
  assert.equal((await node.nft.tables()).length, 1);
});

test("[VIP-4] what keepalived refuses leaves the last good configuration in force", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const good = await node.files.read(config);
  const refusal = { exitCode: 4, stderr: "Unknown keyword 'x'" };
  node.commands.answer("keepalived --config-test", refusal);
  await node.show(three);
  assert.equal(await node.files.read(config), good);
  assert.doesNotMatch(node.commands.text, /kill -HUP/);
  assert.match(
    node.lines.join(""),
    /Cannot use a new configuration of keepalived.*Unknown keyword/,
  );
  assert.match(node.metrics.render(), /refused_configurations_total{program="keepalived"} 1/);

  node.commands.answer("keepalived --config-test", { exitCode: 0 });
  await node.clock.advance(10_000);
  assert.notEqual(await node.files.read(config), good, "it is tried again");
  assert.match(node.commands.text, /kill -HUP/);
});

test("[VIP-4] nothing is rendered while the peers cannot be fetched", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const good = await node.files.read(config);
  await node.show(new Error("connection refused"));
  assert.equal(await node.files.read(config), good);
  assert.match(node.metrics.render(), /^tandem_vip_skipped_total [1-9]/m);
  await node.show(three);
  assert.notEqual(await node.files.read(config), good);
});

test("[VIP-4] after a start without word of the cluster the last good configuration is used", async () => {
  const before = open(alone);
  await before.clock.advance(1_000);
  await before[Symbol.asyncDispose]();
  await using node = open(three);
  await node.show(new Error("connection refused"));
  for (const [path, file] of before.files.files) node.files.files.set(path, file);
  assert.equal(node.started(), 1, "only the watch of addresses");
  await node.clock.advance(30_000);
  assert.match(node.commands.text, /keepalived --dont-fork/);
  assert.match(node.lines.join(""), /the last good configuration is used/);
});

test("[VIP-4] a new node waits for its peers to learn of it", async () => {
  await using node = open(three);
  await node.clock.advance(3_000);
  assert.equal(await node.files.read(config), undefined);
  await node.clock.advance(5_000);
  assert.match((await node.files.read(config)) ?? "", /192\.168\.111\.22/);
});

test("[VIP-4] what does not change is left alone", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const before = node.commands.calls.length;
  await node.show({ ...alone });
  assert.equal(node.commands.calls.length, before);
});

test("[VIP-4] a node that is told off stops, and cleans up", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const toldOff = nodeOf(0, { isControlPlane: false, runsIngress: false });
  await node.show({ cluster: bothFamilies, nodes: [toldOff, nodeOf(1)] });
  assert.equal(await node.files.read(config), undefined);
  assert.deepEqual(await node.nft.tables(), []);
  assert.deepEqual(node.reports.at(-1)?.takesPart, []);
});

test("[VIP-4] a node reports when it is registered, and again when it is anew", async () => {
  const others: VipView = { cluster: bothFamilies, nodes: [nodeOf(1)] };
  await using node = open(others);
  await node.clock.advance(1_000);
  assert.equal(node.reports.length, 0);
  await node.show(alone);
  await node.show(others);
  await node.clock.advance(60_000);
  assert.equal(await node.files.read(config), undefined);
  await node.show(alone);
  assert.deepEqual(
    node.reports.map(({ takesPart }) => takesPart.length > 0),
    [true, true],
  );
});

test("[VIP-4] a node whose Node object is deleted keeps its part until it is registered anew", async () => {
  const others: VipView = { cluster: bothFamilies, nodes: [nodeOf(1)] };
  await using node = open(alone);
  await node.clock.advance(1_000);
  const before = await node.files.read(config);
  await node.show(others);
  await node.clock.advance(50_000);
  assert.equal(await node.files.read(config), before);
  assert.equal((await node.nft.tables()).length, 1);
  await node.show({ cluster: bothFamilies, nodes: [nodeOf(1), nodeOf(0)] });
  assert.match((await node.files.read(config)) ?? "", /192\.168\.111\.21/);
  assert.equal(node.reports.length, 2, "it reports again");
  await node.show(others);
  await node.clock.advance(50_000);
  assert.notEqual(await node.files.read(config), undefined, "the time begins anew");
  await node.clock.advance(15_000);
  assert.equal(await node.files.read(config), undefined);
});

test("[VIP-4] a node whose Node object is made anew is as old as it was, and says so", async () => {
  const times = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"];
  const [own, peer] = nodesOf(2).map((one, index) => ({ ...one, since: times[index] ?? "" }));
  assert.ok(own !== undefined && peer !== undefined);
  await using node = open({ cluster: bothFamilies, nodes: [own, peer] });
  await node.clock.advance(10_000);
  const before = await node.files.read(config);
  const anew = { ...own, since: times[2] ?? "" };
  await node.show({ cluster: bothFamilies, nodes: [peer] });
  await node.show({ cluster: bothFamilies, nodes: [peer, anew] });
  assert.equal(await node.files.read(config), before);
  assert.equal(node.reports.at(-1)?.since, times[0]);

  const said = node.reports.length;
  const unsaid = { ...anew, takesPart: [] };
  await node.show({ cluster: bothFamilies, nodes: [peer, unsaid] });
  assert.equal(node.reports.length, said + 1, "it says it again, also when it was quick");
});

test("[VIP-4] what keeps a node from its part is in its report until it is over, and logged once", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const own = node.ip.shown.addresses;
  node.ip.shown.addresses = [];
  await node.show({ ...alone, nodes: nodesOf(2) });
  await node.clock.advance(20_000);
  assert.match(
    node.reports.at(-1)?.problem ?? "",
    /Cannot render for master-0: no interface has its address/,
  );
  assert.equal(node.lines.filter((line) => line.includes("Cannot bring the VIPs")).length, 1);
  node.ip.shown.addresses = own;
  await node.clock.advance(10_000);
  assert.equal(node.reports.at(-1)?.problem, undefined);
});

test("[VIP-10] a node tells its source what was in force last, also after a restart", async () => {
  const before = open(alone);
  await before.clock.advance(1_000);
  await before.show(alone);
  assert.deepEqual(before.known.at(-1), { cluster: bothFamilies, isInForce: true });
  await before[Symbol.asyncDispose]();
  const kept = before.files.files;
  await using after = open({ ...alone, problems: ["foo is not an address"] }, kept);
  await after.clock.advance(1_000);
  assert.deepEqual(after.known[0], { cluster: bothFamilies, isInForce: false });
  assert.equal(after.reports.at(-1)?.problem, "foo is not an address");
  for (const text of ["", "7", '{"name":1}', '{"name":"x","vips":{"api":["foo"]}}']) {
    await using other = open(alone);
    await other.files.write("/state/vips.json", text);
    await other.clock.advance(1_000);
    assert.equal(other.known[0], undefined, text);
  }
});

test("[VIP-5] the instance is learned first, the group when the node holds both VIPs", async () => {
  const firstOnly: VipView = {
    cluster: { ...bothFamilies, vips: { api: bothFamilies.vips.api.slice(0, 1), ingress: [] } },
    nodes: [nodeOf(0, { takesPart: [] })],
  };
  const cluster = { ...bothFamilies, vips: { api: bothFamilies.vips.api, ingress: [] } };
  const [first = "", second = ""] = bothFamilies.vips.api.map(String);
  const own = nodeOf(0).addresses.map((address) => onLink(String(address)));
  await using node = open(firstOnly);
  node.ip.shown.addresses = [...own, onLink(first)];
  await node.clock.advance(1_000);

  await node.show({ cluster, nodes: [nodeOf(0, { takesPart: [] })] });
  assert.deepEqual(node.reports.at(-1)?.takesPart.map(String), [first, second]);
  await node.show({ cluster, nodes: nodesOf(1) });
  const text = async () => (await node.files.read(config)) ?? "";
  assert.match(await text(), /ostest_API_1/);
  assert.doesNotMatch(await text(), /vrrp_sync_group/, "it does not hold the second yet");

  node.ip.shown.addresses = [...own, onLink(first), onLink(second)];
  node.commands.started[0]?.say("2: eth0 inet6 fd00:111::5/128 scope global");
  await node.clock.advance(1_000);
  assert.match(await text(), /vrrp_sync_group/);
  assert.deepEqual(
    node.reports.at(-1)?.holds.map(({ vip }) => String(vip)),
    [first, second],
  );
});

test("[VIP-4] a node that stops says that it holds nothing", async () => {
  const node = open(alone);
  node.ip.shown.addresses = [...node.ip.shown.addresses, onLink(String(bothFamilies.vips.api[0]))];
  await node.clock.advance(1_000);
  assert.equal(node.reports.at(-1)?.holds.length, 1);
  await node[Symbol.asyncDispose]();
  assert.deepEqual(node.reports.at(-1)?.holds, []);
  assert.equal(node.reports.at(-1)?.takesPart.length, 4);
});

test("[VIP-7] a node that stops takes away the VIPs that its keepalived has left behind", async () => {
  const node = open(alone);
  await node.clock.advance(1_000);
  node.ip.shown.addresses = [...node.ip.shown.addresses, onLink(String(bothFamilies.vips.api[0]))];
  assert.deepEqual(node.ip.lines, []);
  await node[Symbol.asyncDispose]();
  assert.deepEqual(node.ip.lines, ["address delete 192.168.111.5/32 dev eth0"]);
});

test("[VIP-7] VIPs that a killed keepalived leaves behind are taken away", async () => {
  await using node = open(alone);
  await node.clock.advance(1_000);
  const left = onLink(String(bothFamilies.vips.api[0]));
  node.ip.shown.addresses = [...node.ip.shown.addresses, left];
  const keepalived = node.commands.calls.findIndex(({ command }) => command[1] === "--dont-fork");
  assert.ok(keepalived >= 0);
  node.commands.started.at(-1)?.exit({ signal: "SIGKILL" });
  await node.clock.advance(1_000);
  assert.deepEqual(node.ip.lines, ["address delete 192.168.111.5/32 dev eth0"]);
  assert.match(node.metrics.render(), /crashes_total{program="keepalived"} 1/);
});

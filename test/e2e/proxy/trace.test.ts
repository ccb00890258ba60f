// What `tandem trace` says of a probe, against what becomes of a connection that knows nothing of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemClock } from "../../../src/base/host/clock.system.ts";
import { systemFiles } from "../../../src/base/host/files.system.ts";
import { systemIp } from "../../../src/base/host/ip.system.ts";
import { systemNft } from "../../../src/base/host/nft.system.ts";
import { systemRandom } from "../../../src/base/host/random.system.ts";
import { type Family, families } from "../../../src/base/net/family.ts";
import type { Place } from "../../../src/inspect/trace/places.ts";
import { readPlace } from "../../../src/inspect/trace/read-place.ts";
import type { TraceReport } from "../../../src/inspect/trace/report.ts";
import { reportText } from "../../../src/inspect/trace/text.ts";
import { tracePath } from "../../../src/inspect/trace/trace-path.ts";
import { placeText } from "../../../src/inspect/trace/visits.ts";
import { nftablesProxier } from "../../../src/node/proxy/nftables/proxier.ts";
import type { Protocol } from "../../../src/node/proxy/plan/frontend.ts";
import { addressOf, type Party } from "../../../src/node/proxy/plan/testing/scenario.ts";
import { openLab } from "./lab.ts";
import { programServices, type TraceScenario, traceScenarios } from "./trace-scenarios.ts";

const lab = await openLab();
const parties: readonly Party[] = ["node", "pod", "a", "b", "c", "d", "peer", "client"];
const places = await Promise.all(
  parties.map((name) => readPlace({ name, inode: 0, commands: lab.commandsOf(name) })),
);

// The families do not meet: each has rules and routes of its own.
describe("trace", { concurrency: true, timeout: 240_000 }, () => {
  for (const family of families) {
    describe(family, { concurrency: false }, () => {
      for (const scenario of traceScenarios) {
        test(scenario.name, () => checkScenario(scenario, family));
      }
    });
  }
});

test("traces leave no nft table behind", async () => {
  const tables = places.map(({ commands }) => systemNft(commands).tables());
  assert.deepEqual((await Promise.all(tables)).flat(), []);
});

test("what a killed trace has left is taken away by the next", async () => {
  const { commands } = place("a");
  await systemNft(commands).apply("add table inet tandem-trace-1000000000-1");
  await trace({ name: "", from: "pod", to: "a:8080", expected: "delivered" }, "IPv4");
  assert.deepEqual(await systemNft(commands).tables(), []);
});

async function checkScenario(scenario: TraceScenario, family: Family): Promise<void> {
  const { rules = "", legacy = [], routes = [] } = scenario;
  const at = scenario.at ?? "node";
  const commands = lab.commandsOf(at);
  const nft = systemNft(commands);
  const ip = systemIp(commands);
  const proxier = await programServices(family, (settings) =>
    nftablesProxier({ nft: systemNft(lab.node), settings }),
  );
  const filled = (text: string): string => fillIn(text, family);
  try {
    if (rules !== "") await nft.apply(filled(rules));
    for (const rule of legacy) await commands.run(filled(rule).split(" "));
    await ip.batch(routes.map(filled));
    const report = await trace(scenario, family);
    const said = reportText(report);
    assert.equal(report.verdict.kind, expectedOf(scenario, family), said);
    for (const words of scenario.says ?? [])
      assert(said.includes(filled(words)), `${words}\n${said}`);
    const seen = await connect(scenario, family);
    const agreed = scenario.agreed ?? outcomes[report.verdict.kind];
    assert.match(seen, agreed, said);
  } finally {
    await nft.deleteTable({ family: family === "IPv4" ? "ip" : "ip6", name: "foreign" });
    for (const rule of legacy) await commands.run(filled(rule).replace(" -A ", " -D ").split(" "));
    await ip.batch(routes.map((route) => filled(route).replace(" add ", " del ")));
    await proxier.remove();
  }
}

/** What a real connection may say where the trace says this. */
const outcomes: Readonly<Record<TraceReport["verdict"]["kind"], RegExp>> = {
  delivered: /^[a-d]:\d+ /,
  "no-listener": /^ECONNREFUSED$/,
  rejected: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EACCES|EPERM)$/,
  dropped: /^(ETIMEDOUT|EPERM)$/,
  "no-route": /^(EHOSTUNREACH|ENETUNREACH|EACCES|EINVAL)$/,
  "no-neighbour": /^(ETIMEDOUT|EHOSTUNREACH)$/,
  unanswered: /^ETIMEDOUT$/,
  lost: /^ETIMEDOUT$/,
};

function expectedOf({ expected }: TraceScenario, family: Family): TraceReport["verdict"]["kind"] {
  return typeof expected === "string" ? expected : expected[family];
}

/** Nobody waits in vain for long; what is answered may take its time on a busy machine. */
function timeoutOf(scenario: TraceScenario, family: Family): number {
  const kind = expectedOf(scenario, family);
  // Raw packets are waited for to the end: there might be another.
  if (scenario.to.endsWith("/sctp")) return 6000;
  return outcomes[kind].test("ETIMEDOUT") ? 400 : 30_000;
}

interface Way {
  readonly from: Party;
  readonly destination: ReturnType<typeof addressOf>;
  readonly port: number;
  readonly protocol: Protocol;
}

function wayOf({ from, to }: TraceScenario, family: Family): Way {
  const [, party = "", port = "", protocol = "tcp"] = /^(\w+):(\d+)(?:\/(\w+))?$/.exec(to) ?? [];
  return {
    from,
    destination: addressOf(party as Party, family),
    port: Number(port),
    protocol: protocol as Protocol,
  };
}

async function trace(scenario: TraceScenario, family: Family): Promise<TraceReport> {
  const way = wayOf(scenario, family);
  const source = way.from === "client" ? addressOf("client", family) : undefined;
  return tracePath(
    { ...way, from: place(way.from), source, timeoutMs: timeoutOf(scenario, family) },
    { places, files: systemFiles, random: systemRandom, clock: systemClock },
  );
}

async function connect(scenario: TraceScenario, family: Family): Promise<string> {
  const { from, destination, port, protocol } = wayOf(scenario, family);
  const findings = await lab.ask(from, {
    protocol,
    address: destination.toString(),
    port,
    ...(from === "client" && { source: addressOf("client", family).toString() }),
    count: 1,
    timeoutMs: timeoutOf(scenario, family),
  });
  return findings[0] ?? "";
}

function place(party: Party): Place {
  const found = places.find(({ name }) => name === party);
  assert(found !== undefined);
  return found;
}

/** `<a>` is the address of the party a; `<ip>` the word for the family. */
function fillIn(text: string, family: Family): string {
  return text.replaceAll(/<(\w+)(?::(\d+))?>/g, (_, word: string, port?: string) => {
    if (word === "ip") return family === "IPv4" ? "ip" : "ip6";
    if (word === "iptables") return family === "IPv4" ? "iptables" : "ip6tables";
    return placeText(
      addressOf(word as Party, family).toString(),
      port === undefined ? port : Number(port),
    );
  });
}

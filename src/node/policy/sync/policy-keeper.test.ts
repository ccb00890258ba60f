import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeConntrack } from "../../../base/host/conntrack.fake.ts";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import type { NftTable } from "../../../base/host/nft.ts";
import { Address } from "../../../base/net/address.ts";
import { createLog } from "../../../base/program/log.ts";
import { Registry } from "../../../base/program/metrics.ts";
import { PolicyWriter } from "../nftables/writer.ts";
import { PolicyState } from "../plan/policy-state.ts";
import { readNetworkPolicy } from "../plan/read-network-policy.ts";
import { DenialCounts } from "./denials.ts";
import { FlowEnder } from "./end-flows.ts";
import { registerPolicyMetrics } from "./metrics.ts";
import { PolicyKeeper } from "./policy-keeper.ts";

const table: NftTable = { family: "ip", name: "tandem-policy" };
const wrongFlow = {
  protocol: "tcp",
  client: "10.1.0.9",
  clientPort: 40_000,
  target: "10.1.0.1",
  targetPort: 80,
  server: "10.1.0.1",
  serverPort: 80,
} as const;

/** An nft whose reading of rules a test can hold up. */
class SlowNft extends FakeNft {
  reading: Promise<void> = Promise.resolve();

  override async outline(of: NftTable): Promise<string> {
    await this.reading;
    return super.outline(of);
  }
}

test("[POL-6] a change gets into the kernel while the rules are still being checked", async () => {
  await using kept = keep();
  const { nft, clock, state, keeper } = kept;
  await clock.advance(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  nft.reading = promise;
  try {
    await clock.advance(2000);
    state.setPod("x/b", podOf("x/b", "10.1.0.2"));
    keeper.notify();
    await clock.advance(0);
    assert.match(nft.dump, /ingress-subjects .*10\.1\.0\.2/);
  } finally {
    resolve();
  }
});

test("[POL-5] a connection that began while the table was deleted ends when the table is back", async () => {
  await using kept = keep();
  const { nft, clock, keeper, conntrack } = kept;
  await clock.advance(1000);
  await nft.deleteTable(table);
  kept.flows.push(wrongFlow);
  keeper.suspect();
  await clock.advance(1000);
  assert.match(nft.dump, /hook forward/, "the table is back");
  assert.equal(conntrack.text, "tcp 10.1.0.1:80 from 10.1.0.9 40000");
});

/** Runs a keeper of one pod that nobody may reach. */
function keep() {
  const nft = new SlowNft();
  const clock = new FakeClock();
  const conntrack = new FakeConntrack();
  const flows: (typeof wrongFlow)[] = [];
  const state = new PolicyState();
  state.setNamespace("x", { labels: {}, isAudited: false });
  state.setPod("x/a", podOf("x/a", "10.1.0.1"));
  state.setPolicy("x/nobody", nobody);
  const metrics = registerPolicyMetrics(new Registry());
  const family = "IPv4";
  const ender = new FlowEnder({
    family,
    book: state.plans[family].book,
    flows: { list: async () => flows },
    conntrack,
    nft,
    ownAddresses: async () => new Set(),
  });
  const writer = new PolicyWriter(nft, { family, podPrefixes: [], podLinks: [] });
  const keeper = new PolicyKeeper({
    state,
    families: [{ writer, ender }],
    denials: new DenialCounts(nft, state.reasons, metrics),
    metrics,
    clock,
    log: createLog({ write: () => undefined, format: "text" }),
  });
  const stop = new AbortController();
  const running = keeper.run(stop.signal);
  return {
    nft,
    clock,
    conntrack,
    flows,
    state,
    keeper,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

const nobody = readNetworkPolicy({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { namespace: "x", name: "nobody" },
  spec: { podSelector: {}, policyTypes: ["Ingress"] },
});

function podOf(key: string, text: string) {
  const address = Address.parse(text);
  return {
    key,
    namespace: "x",
    labels: {},
    addresses: [{ address, text, family: "IPv4" as const, network: "" }],
    ports: [],
    isLocal: true,
  };
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeIptables } from "../../../base/host/iptables.fake.ts";
import type { Family } from "../../../base/net/family.ts";
import type { DesiredState } from "../plan/desired-state.ts";
import { openState, put, service, settingsOf, slices } from "../plan/testing/scenario.ts";
import { fill, proxierContract } from "../testing/proxier.contract.ts";
import { iptablesProxier } from "./proxier.ts";

async function open(state: DesiredState, family: Family = "IPv4") {
  const iptables = new FakeIptables(family);
  const proxier = iptablesProxier({ iptables, settings: settingsOf(family) });
  await fill(proxier, state);
  return { iptables, proxier, saved: () => save(iptables) };
}

async function save(iptables: FakeIptables): Promise<string> {
  return `${await iptables.save("nat")}${await iptables.save("filter")}`;
}

const others = `*nat
:OTHER - [0:0]
-A OTHER -j ACCEPT
-A PREROUTING -j OTHER
COMMIT
*filter
-A INPUT -p tcp -j ACCEPT
COMMIT
`;

const leftovers = `*nat
:TANDEM-S-LEFTOVER - [0:0]
-A TANDEM-S-LEFTOVER -j RETURN
-A INPUT -j TANDEM-S-LEFTOVER
-A PREROUTING -j TANDEM-SERVICES
COMMIT
`;

/** Returns the rules without those that always exist, with chains named by their kind. */
function rules(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => /-[jg] (TANDEM-[A-Z]-|DNAT|REJECT|DROP)|^-A TANDEM-[A-Z]-/.test(line))
    .map((line) => line.replaceAll(/TANDEM-([A-Z])-[A-Z2-7]{15}/g, "$1"));
}

describe("what a service comes to", () => {
  test("a cluster IP with two endpoints, one of them here", async () => {
    const state = openState();
    put(state, [service(), ...slices(["a", "b"])]);
    const { saved } = await open(state);
    assert.deepEqual(rules(await saved()), [
      "-A E -s 10.1.1.10/32 -j MARK --set-xmark 0x1000/0x1000",
      "-A E -p tcp -j DNAT --to-destination 10.1.1.10:8080",
      "-A S ! -s 10.1.0.0/16 -j MARK --set-xmark 0x1000/0x1000",
      "-A S -m statistic --mode random --probability 0.5000000000 -j E",
      "-A S -p tcp -j DNAT --to-destination 10.1.2.11:8080",
      '-A TANDEM-SERVICES-01 -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -m comment --comment "shop/web:80" -j S',
      "-A TANDEM-REFUSE-01 -d 10.96.0.1/32 -p tcp -j REJECT --reject-with tcp-reset",
      "-A TANDEM-REFUSE-01 -d 10.96.0.1/32 -j REJECT --reject-with icmp-port-unreachable",
    ]);
  });

  test("session affinity: who comes back is led to where it was", async () => {
    const state = openState();
    put(state, [service({ sessionAffinity: "ClientIP" }), ...slices(["b", "c"])]);
    const { saved } = await open(state, "IPv6");
    assert.deepEqual(
      rules(await saved()).filter((rule) => rule.includes("DNAT")),
      [
        "-A S -m recent --name R --rsource --update --seconds 10800 --reap -p tcp -j DNAT --to-destination [fd00:1::20b]:8080",
        "-A S -m recent --name R --rsource --update --seconds 10800 --reap -p tcp -j DNAT --to-destination [fd00:1::30c]:8080",
        "-A S -m statistic --mode random --probability 0.5000000000 -m recent --name R --rsource --set -p tcp -j DNAT --to-destination [fd00:1::20b]:8080",
        "-A S -m recent --name R --rsource --set -p tcp -j DNAT --to-destination [fd00:1::30c]:8080",
      ],
    );
  });
});

describe("[PROXY-6] a change writes only the chains it concerns", () => {
  test("another endpoint: the service's own chain", async () => {
    const state = openState();
    put(state, [service(), ...slices(["b"])]);
    put(state, [service({ name: "other", cluster: ["other"] }), ...slices(["b"], { of: "other" })]);
    const { iptables, proxier } = await open(state);
    put(state, slices(["b", "c"]));
    await proxier.apply(state.takeChange().deltas.IPv4);
    assert.equal(
      iptables.restored.at(-1)?.replaceAll(/TANDEM-S-[A-Z2-7]{15}/g, "S"),
      `*nat
:S - [0:0]
-A S ! -s 10.1.0.0/16 -j MARK --set-xmark 0x1000/0x1000
-A S -m statistic --mode random --probability 0.5000000000 -p tcp -j DNAT --to-destination 10.1.2.11:8080
-A S -p tcp -j DNAT --to-destination 10.1.3.12:8080
COMMIT
`,
    );
  });
});

proxierContract("iptables", (settings) => {
  const iptables = new FakeIptables(settings.family);
  return {
    proxier: iptablesProxier({ iptables, settings }),
    dump: () => save(iptables),
    writes: () => iptables.restored.length,
    flush: () => iptables.restore("*nat\n-F\nCOMMIT\n"),
    addOthers: () => iptables.restore(others),
  };
});

test("[PROXY-7] what another run has left goes when everything is replaced", async () => {
  const state = openState();
  put(state, [service(), ...slices(["a"])]);
  const { iptables, proxier, saved } = await open(state);
  const before = await saved();
  await iptables.restore(leftovers);
  await fill(proxier, state);
  assert.equal(await saved(), before);
});

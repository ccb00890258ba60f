// How long the address of a load balancer is silent, in each family, when what announces it goes.

import { setTimeout as sleep } from "node:timers/promises";
import { type Family, families } from "../src/base/net/family.ts";
import { defaultTimes } from "../src/edge/balancer/announce/times.ts";
import {
  type BalancerLab,
  type BalancerNode,
  openBalancerLab,
} from "../test/e2e/balancer.fixture.ts";
import { type Benchmark, type Figures, type Group, lower, type Measure } from "./harness.ts";

interface Fault {
  readonly name: string;
  strike(holder: BalancerNode, lab: BalancerLab): Promise<void>;
  mend(holder: BalancerNode, lab: BalancerLab): Promise<void>;
  /** What the times of the announcer allow, plus a try of the client. */
  readonly expectedMs: number;
}

const tryMs = 500;

const faults: readonly Fault[] = [
  {
    name: "the announcing node is lost",
    strike: (holder) => holder.host.unplug(),
    mend: (holder) => holder.host.plug(),
    expectedMs: defaultTimes.leaseMs + defaultTimes.renewMs / 2 + tryMs,
  },
  {
    name: "the announcer is killed",
    strike: async (holder) => holder.announcer?.kill("SIGKILL"),
    mend: (holder, lab) => lab.startAnnouncer(holder),
    expectedMs: defaultTimes.leaseMs + defaultTimes.renewMs / 2 + tryMs,
  },
  {
    name: "the announcer is stopped",
    strike: async (holder) => void (await holder.announcer?.stop()),
    mend: (holder, lab) => lab.startAnnouncer(holder),
    expectedMs: tryMs,
  },
];

export default {
  title: "silence of the addresses of a load balancer",
  async groups(scope) {
    const lab = scope.use(await openBalancerLab());
    return faults.map(
      (fault): Group => ({
        name: fault.name,
        baseline: "by the settings",
        cases: {
          measured: () => measure(lab, fault),
          "by the settings": () => () => figures(() => fault.expectedMs),
        },
      }),
    );
  },
} satisfies Benchmark;

function measure(lab: BalancerLab, fault: Fault): Measure {
  return async () => {
    const { addresses, holder } = await settled(lab);
    const stop = new AbortController();
    const silences = families.map((family) => longestSilence(lab, addresses[family], stop.signal));
    await sleep(500);
    await assertAlone(lab, holder, addresses);
    await fault.strike(holder, lab);
    await lab.holder(addresses.IPv4, holder);
    await lab.holder(addresses.IPv6, holder);
    await sleep(2_000);
    stop.abort();
    const [first = 0, second = 0] = await Promise.all(silences);
    await fault.mend(holder, lab);
    return figures((family) => (family === "IPv4" ? first : second));
  };
}

/** Both addresses are at one node, for long enough that nobody is about to take over, and answer. */
async function settled(lab: BalancerLab) {
  const addresses = await lab.balance("web", { nodes: lab.nodes });
  for (;;) {
    const holder = await lab.holder(addresses.IPv4);
    // Its endpoints go with a node; what is measured is the address.
    await lab.balance("web", { nodes: lab.nodes.filter((node) => node !== holder) });
    await sleep(2 * defaultTimes.leaseMs + 2 * defaultTimes.renewMs);
    for (const family of families) await lab.answers(addresses[family]);
    if ((await lab.holder(addresses.IPv4)) === holder) return { addresses, holder };
  }
}

/**
 * A fault of a node that has nothing to lose, or that the host outside does not send to, would look like a
 * failover without any silence.
 */
async function assertAlone(
  lab: BalancerLab,
  holder: BalancerNode,
  addresses: Readonly<Record<Family, string>>,
): Promise<void> {
  for (const family of families) {
    const [has, leadsTo] = [
      await lab.holder(addresses[family]),
      await lab.leadsTo(addresses[family]),
    ];
    if (has === holder && leadsTo === holder) continue;
    const state = `it is at ${has.name}, and leads to ${leadsTo?.name}`;
    throw new Error(`Cannot measure ${addresses[family]} at ${holder.name}: ${state}`);
  }
}

async function longestSilence(lab: BalancerLab, address: string, signal: AbortSignal) {
  let last = performance.now();
  let longest = 0;
  while (!signal.aborted) {
    const answered = (await lab.ask(address)) !== "";
    if (!answered) continue;
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return Math.max(longest, performance.now() - last);
}

function figures(silence: (family: Family) => number): Figures {
  return Object.fromEntries(families.map((family) => [family, lower(silence(family), "ms")]));
}

// How long requests through the VIPs stay unanswered when something happens to their holder, and how
// long the protocol's own times let them: three nodes with the real keepalived and haproxy.

import { access } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { families } from "../src/base/net/family.ts";
import { planNode } from "../src/edge/vip/plan.ts";
import { checkWeight } from "../src/edge/vip/priority.ts";
import {
  checkSeconds,
  cleanStopSeconds,
  defaultSettings,
  lossSeconds,
} from "../src/edge/vip/settings.ts";
import { bothFamilies, nodesOf, vips } from "../src/edge/vip/testing/vip.ts";
import { openVipCluster, type VipTestCluster } from "../test/fixtures/vip-cluster.ts";
import type { TestNode } from "../test/fixtures/vip-node.ts";
import {
  type Benchmark,
  type Figures,
  type Group,
  lower,
  type Measure,
  Unavailable,
} from "./harness.ts";

const pair = bothFamilies.vips.api;
const targets = {
  IPv4: `https://${vips.IPv4.api}:6443/`,
  IPv6: `https://[${vips.IPv6.api}]:6443/`,
};
const { timings } = defaultSettings;
/** Of each VIP; what lies between two requests is never seen. */
const perSecond = 50;

interface Fault {
  readonly name: string;
  readonly strike: (holder: TestNode) => Promise<void>;
  readonly mend: (holder: TestNode, cluster: VipTestCluster) => Promise<void>;
  /** The longest silence that the settings allow for; starting programs and connections comes on top. */
  readonly expectedMs: number;
  /** Nobody hears of the holder any more, whatever it holds. */
  readonly cutsOff?: boolean;
}

const nothing = async () => undefined;

const faults: readonly Fault[] = [
  {
    name: "the holder is stopped",
    strike: (holder) => holder.stopRuntime(),
    mend: async (holder, { shared }) => holder.startRuntime(shared.sourceOf(holder.name)),
    expectedMs: 1000 * cleanStopSeconds(successor(), timings),
  },
  {
    name: "the holder's node is lost",
    strike: (holder) => holder.host.unplug(),
    mend: (holder) => holder.host.plug(),
    expectedMs: 1000 * lossSeconds(successor(), timings),
    cutsOff: true,
  },
  {
    name: "the holder's keepalived is killed",
    strike: (holder) => holder.signal("keepalived", "KILL"),
    mend: nothing,
    expectedMs: 1000 * lossSeconds(successor(), timings),
  },
  {
    name: "the holder's haproxy is killed, and started again",
    strike: (holder) => holder.signal("haproxy", "KILL"),
    mend: nothing,
    expectedMs: 100,
  },
  {
    name: "the holder's haproxy hangs",
    strike: (holder) => holder.signal("haproxy", "STOP"),
    mend: (holder) => holder.signal("haproxy", "CONT"),
    expectedMs: 1000 * checkSeconds(successor(), timings),
  },
  {
    name: "the holder's API server is killed",
    strike: (holder) => holder.killBackend(),
    mend: (holder) => holder.startBackend(),
    expectedMs: 0,
  },
];

export default {
  title: "silence of the VIPs of a pair, in both families",
  async groups(scope) {
    for (const program of ["keepalived", "haproxy"]) await mustHave(`/usr/sbin/${program}`);
    const cluster = scope.use(await openVipCluster(bothFamilies, nodesOf(3, { takesPart: [] })));
    return faults.map(
      (fault): Group => ({
        name: fault.name,
        baseline: "by the settings",
        cases: {
          measured: () => measure(cluster, fault),
          "by the settings": () => () => figures(() => fault.expectedMs + 1000 / perSecond),
        },
      }),
    );
  },
} satisfies Benchmark;

function measure(cluster: VipTestCluster, fault: Fault): Measure {
  return async () => {
    const before = await settledHolder(cluster);
    const client = await cluster.startClient({ targets, perSecond, timeoutMs: 1_000 });
    await delay(500);
    await fault.strike(before);
    const lost = fault.cutsOff === true ? before : undefined;
    await delay(Math.max(1_000, 2 * fault.expectedMs));
    await cluster.holderOf(pair, lost);
    const summary = await client.stop();
    await fault.mend(before, cluster);
    return figures((family) => summary[family]?.longestSilenceMs ?? Number.NaN);
  };
}

/** The same node for long enough that nobody is about to take over. */
async function settledHolder(cluster: VipTestCluster): Promise<TestNode> {
  for (;;) {
    const holder = await cluster.holderOf(pair);
    await delay(3_000);
    if ((await cluster.holderOf(pair)) === holder) return holder;
  }
}

function figures(silence: (family: "IPv4" | "IPv6") => number): Figures {
  return Object.fromEntries(families.map((family) => [family, lower(silence(family), "ms")]));
}

/** The priority of the node that takes over: the second one, its check passed. */
function successor(): number {
  const local = { name: "master-1", linkOf: () => "eth0", holds: [], grouped: [] };
  const [api] = planNode(bothFamilies, nodesOf(3), local);
  return (api?.instances[0]?.priority ?? 0) + checkWeight;
}

async function mustHave(path: string): Promise<void> {
  try {
    await access(path);
  } catch (cause) {
    throw new Unavailable(`${path} is not installed`, { cause });
  }
}

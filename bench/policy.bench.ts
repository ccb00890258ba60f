// How long a change of policies takes to get into the kernel, and what connections pay for them, against
// the layout with a chain for each policy.

import { join } from "node:path";
import { systemNft } from "../src/base/host/nft.system.ts";
import type { Nft } from "../src/base/host/nft.ts";
import { sessionNft } from "../src/base/host/nft-session.system.ts";
import { PolicyWriter } from "../src/node/policy/nftables/writer.ts";
import { type Benchmark, type Figures, type Group, higher, lower, Unavailable } from "./harness.ts";
import { chainsScript, changePod, changePolicy } from "./policy/chains.ts";
import { addresses, openField } from "./policy/field.ts";
import { weightOf } from "./policy/memory.ts";
import { podOf, policyOf, stateOf } from "./policy/objects.ts";
import { changesThroughApi } from "./policy/through-api.ts";

const sizes = [100, 1000, 10_000];
const changes = 20;
const layout = { family: "IPv4", podPrefixes: [], podLinks: [] } as const;
/** Ten thousand took it minutes in all. */
const mostChains = 1000;

export default {
  title: "policies: from a change to the kernel, and what connections pay",
  groups: () => [...sizes.map(changesOf), throughApi, connections],
} satisfies Benchmark;

function changesOf(size: number): Group {
  return {
    name: `${size} policies, each with 10 pods, one of them on this node`,
    baseline: "one chain per policy",
    cases: {
      tandem: async (scope) => {
        const nft = await openNft(scope);
        return async () => {
          const mebibytes = weightOf(() => {
            const one = stateOf(size);
            one.takeChange();
            return one;
          });
          const state = stateOf(size);
          const writer = new PolicyWriter(nft, layout);
          const loaded = await timed(async () => {
            state.takeChange();
            await writer.replace(state.plans.IPv4.book.all());
          });
          const change = () => writer.apply(state.takeChange().elements.IPv4);
          const times = await figures(loaded, {
            policy: (n) => {
              state.setPolicy(`n${n}/p`, policyOf(n, 81));
              return change();
            },
            pod: (n) => {
              state.setPod(`n${n}/p1`, n % 2 === 0 ? undefined : podOf(n, 1));
              return change();
            },
          });
          return { ...times, "memory of the plan": lower(mebibytes, "MiB") };
        };
      },
      "one chain per policy": async (scope) => {
        if (size > mostChains) throw new Unavailable("it would take minutes");
        const nft = await openNft(scope);
        return async () => {
          await nft.apply("flush ruleset\n");
          const loaded = await timed(() => nft.apply(chainsScript(size)));
          return figures(loaded, {
            policy: (n) => nft.apply(changePolicy(n, 81)),
            pod: (n) => nft.apply(changePod(n, n % 2 === 1)),
          });
        };
      },
    },
  };
}

const throughApi: Group = {
  name: "from a write to the API server to the kernel, each policy with 10 pods of both families",
  baseline: `${sizes[0]} policies`,
  cases: Object.fromEntries(
    sizes.map((size) => [`${size} policies`, (scope) => changesThroughApi(scope, size)]),
  ),
};

interface Changes {
  readonly policy: (n: number) => Promise<void>;
  readonly pod: (n: number) => Promise<void>;
}

async function figures(loaded: number, { policy, pod }: Changes): Promise<Figures> {
  const policyTimes: number[] = [];
  const podTimes: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < changes; n++) {
    policyTimes.push(await timed(() => policy(n)));
    podTimes.push(await timed(() => pod(n)));
  }
  const { user, system } = process.cpuUsage(before);
  return {
    loaded: lower(loaded, "ms"),
    "policy change": lower(middle(policyTimes), "ms"),
    "slowest policy change": lower(Math.max(...policyTimes), "ms"),
    "pod change": lower(middle(podTimes), "ms"),
    "own CPU per change": lower((user + system) / 1000 / changes / 2, "ms"),
  };
}

/**
 * The server has this many policies of its own, among a thousand of others. Without a table there is no
 * connection tracking either, which every node has for its services: the baseline is a table without any.
 */
const connections: Group = {
  name: "connections of a pod, 1,000 policies of others around it",
  baseline: "0 policies",
  cases: {
    "no table": connecting(undefined),
    "0 policies": connecting(0),
    "1 policy": connecting(1),
    "100 policies": connecting(100),
  },
};

function connecting(own: number | undefined): Group["cases"][string] {
  return async (scope) => {
    const { router, client, server } = await openField(scope);
    const running = await server.start([
      "socat",
      "TCP-LISTEN:80,fork,reuseaddr,backlog=1024",
      "/dev/null",
    ]);
    scope.defer(async () => void (await running.stop()));
    if (own !== undefined) {
      const state = stateOf(1000);
      state.setPolicy("n0/p", undefined);
      for (let n = 0; n < own; n++) state.setPolicy(`n0/own-${n}`, policyOf(0, 80 + n));
      state.takeChange();
      await new PolicyWriter(systemNft(router), layout).replace(state.plans.IPv4.book.all());
    }
    const program = join(import.meta.dirname, "proxy/connect.pl");
    return async () => {
      const { stdout } = await client.run(["perl", program, addresses.server, "80", "2000"]);
      const [p50 = 0, p90 = 0, perSecond = 0] = stdout.split(" ").map(Number);
      return {
        "connect() p50": lower(p50 / 1000, "ms"),
        "connect() p90": lower(p90 / 1000, "ms"),
        rate: higher(perSecond, "op/s"),
      };
    };
  };
}

async function openNft(scope: AsyncDisposableStack): Promise<Nft> {
  const { router } = await openField(scope);
  const stop = new AbortController();
  scope.defer(() => stop.abort());
  return sessionNft(systemNft(router), router, stop.signal);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function middle(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

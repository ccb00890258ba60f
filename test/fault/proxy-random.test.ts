import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, describe, test } from "node:test";
import type { Service } from "../../src/api/types/core.ts";
import type { EndpointSlice } from "../../src/api/types/discovery.ts";
import { families } from "../../src/base/net/family.ts";
import { proxierOpener } from "../../src/node/proxy/modes.ts";
import type { DesiredState } from "../../src/node/proxy/plan/desired-state.ts";
import { endpointText, type Frontend } from "../../src/node/proxy/plan/frontend.ts";
import {
  frontendsOf,
  openState,
  type Party,
  put,
  service,
  settingsOf,
  slices,
} from "../../src/node/proxy/plan/testing/scenario.ts";
import { openSandbox } from "../e2e/host/sandbox.ts";
import { type Mode, rulesOf } from "./proxy.fixture.ts";

const isSoak = process.env["TANDEM_SOAK"] === "1";
const counts: Readonly<Record<Mode, number>> = { nftables: 1000, iptables: isSoak ? 1000 : 100 };

const sandbox = await openSandbox();
const { commands } = await sandbox.enter("node");
const over = new AbortController();
after(() => over.abort());

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Pick = (below: number) => number;
type Objects = Map<string, Service | EndpointSlice>;

const clusterIPs = ["cluster", "other", "unused"] as const;

function randomService(pick: Pick, name: string): Service {
  const isLocal = pick(3) === 0 ? ({ externalTrafficPolicy: "Local" as const } as const) : {};
  const isSticky = pick(4) === 0 ? ({ sessionAffinity: "ClientIP" as const } as const) : {};
  const ranges = ["203.0.0.0/24", "203.0.0.0/16", "10.0.0.0/8", "2001:db8::/64", "fd00::/8"];
  const isGuarded = pick(3) === 0 ? { loadBalancerSourceRanges: ranges.slice(pick(3)) } : {};
  const port = 80 + pick(3);
  return service({
    name,
    since: `2026-01-0${1 + pick(9)}T00:00:00Z`,
    // Several claim the same place now and then.
    cluster: [clusterIPs[pick(3)] ?? "cluster"],
    ...(pick(2) === 0 ? { lb: ["lb"] } : { type: "NodePort" as const }),
    ...(pick(3) === 0 ? { external: ["external"] } : {}),
    ...(pick(3) === 0 ? { endpointFamily: "ipv4" } : { endpointFamily: "dual-stack" }),
    ...isLocal,
    ...isSticky,
    ...isGuarded,
    ports: [
      { name: "t", port, nodePort: 30000 + port },
      { name: "u", port, protocol: "UDP" as const, nodePort: 30000 + port },
    ],
  });
}

function randomSlices(pick: Pick, of: string): EndpointSlice[] {
  const backends = (["a", "b", "c", "d"] as Party[]).filter(() => pick(2) === 0);
  const ports = [
    { name: "t", port: 8080, protocol: "TCP" as const },
    { name: "u", port: 8080, protocol: "UDP" as const },
  ];
  return slices(backends, { of, ports });
}

/** Changes something, in the state and in the list of what there is. */
function change(state: DesiredState, objects: Objects, pick: Pick): void {
  const name = `s${pick(8)}`;
  const key = `shop/${name}`;
  if (pick(4) === 0 && objects.delete(key)) state.setService(key, undefined);
  const changed = pick(2) === 0 ? [randomService(pick, name)] : randomSlices(pick, name);
  for (const object of changed) {
    objects.set(`${object.kind === "Service" ? "shop" : "slice"}/${object.metadata.name}`, object);
  }
  put(state, changed);
}

/** In an order that does not depend on what was there before. */
function texts(frontends: readonly Frontend[]): readonly string[] {
  return frontends
    .map((frontend) =>
      JSON.stringify(frontend, (_, value: unknown) =>
        Array.isArray(value) && typeof value[0] === "object" && "port" in value[0]
          ? (value as Frontend["pool"]).map(endpointText).toSorted()
          : value,
      ),
    )
    .toSorted();
}

for (const [mode, count] of Object.entries(counts) as [Mode, number][]) {
  describe(mode, { timeout: 240_000 }, () => {
    test(`[PROXY-6] ${count} random changes lead to what a rebuild leads to`, async (t) => {
      const seed = randomInt(2 ** 31);
      t.diagnostic(`seed ${seed}`);
      const pick = randomOf(seed);
      const open = proxierOpener(mode, { commands, iptablesVariant: "nft", signal: over.signal });
      const proxiers = families.map((family) => open(settingsOf(family)));
      const state = openState();
      const objects: Objects = new Map();
      const both = (work: (proxier: (typeof proxiers)[number]) => Promise<unknown>) =>
        Promise.all(proxiers.map(work));
      try {
        state.takeChange();
        await both((proxier) => proxier.replace([]));
        for (let n = 0; n < count; n++) {
          change(state, objects, pick);
          const { deltas } = state.takeChange();
          await both((proxier) => proxier.apply(deltas[proxier.family]));
          if (pick(10) === 0) await both((proxier) => proxier.sweep());
        }
        await both((proxier) => proxier.sweep());
        const changed = await rulesOf(mode, commands);
        const sizes = proxiers.map(({ size }) => size);
        await both((proxier) => proxier.replace(frontendsOf(state, proxier.family)));
        assert.equal(changed, await rulesOf(mode, commands), `the kernel, seed ${seed}`);
        assert.deepEqual(
          sizes,
          proxiers.map(({ size }) => size),
          `the count, seed ${seed}`,
        );
        const rebuilt = openState();
        put(rebuilt, [...objects.values()]);
        rebuilt.takeChange();
        for (const family of families) {
          const [one, other] = [state, rebuilt].map((each) => texts(frontendsOf(each, family)));
          assert.deepEqual(one, other, `the plan, seed ${seed}`);
        }
      } finally {
        await both((proxier) => proxier.remove());
      }
    });
  });
}

// The contract of every proxy mode, as tests: what it does with changes, however it keeps its rules.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Family, families } from "../../../base/net/family.ts";
import type { DesiredState } from "../plan/desired-state.ts";
import type { FamilySettings } from "../plan/frontend.ts";
import {
  frontendsOf,
  openState,
  type Party,
  put,
  service,
  settingsOf,
  slices,
} from "../plan/testing/scenario.ts";
import type { Proxier } from "../proxier.ts";

/** A proxier with a kernel, or a fake of it, that the tests can look into. */
export interface ProxierSubject {
  readonly proxier: Proxier;
  /** Returns all rules in the kernel, those of others included; the same text for the same rules. */
  readonly dump: () => Promise<string>;
  /** Returns the number of writes so far. */
  readonly writes: () => number;
  /** Does what another program might do: removes everything, or adds rules of its own. */
  readonly flush: () => Promise<void>;
  readonly addOthers: () => Promise<void>;
}

type Open = (settings: FamilySettings) => ProxierSubject;

export function proxierContract(kind: string, open: Open): void {
  describe(`${kind}, as a proxier`, () => {
    test("[PROXY-7] any sequence of changes comes to the same rules as all at once", async () => {
      const run = fc.asyncProperty(
        fc.array(changes, { maxLength: 12 }),
        fc.constantFrom(...families),
        (list, family) => checkSequence(open, list, family),
      );
      await fc.assert(run, { numRuns: 25 });
    });

    test("[PROXY-6] nothing changed: nothing is written", async () => {
      const { state, proxier, writes } = await filled(open);
      const count = writes();
      put(state, slices(["b", "a"]));
      await proxier.apply(state.takeChange().deltas.IPv4);
      await proxier.sweep();
      assert.equal(writes(), count);
    });

    test("[PROXY-7] replacing again changes nothing", async () => {
      const { state, proxier, dump } = await filled(open);
      const before = await dump();
      const { size } = proxier;
      await proxier.replace(frontendsOf(state, "IPv4"));
      assert.equal(await dump(), before);
      assert.equal(proxier.size, size);
    });

    test("[PROXY-7] a flush is noticed, and mended by replacing", async () => {
      const { state, proxier, dump, flush } = await filled(open);
      const before = await dump();
      assert(await proxier.isIntact());
      await flush();
      assert(!(await proxier.isIntact()));
      await proxier.replace(frontendsOf(state, "IPv4"));
      assert.equal(await dump(), before);
    });

    test("[PROXY-7] removing leaves what was there before, and may be done twice", async () => {
      const { proxier, dump, addOthers } = open(settingsOf("IPv4"));
      // The first pass creates the kernel's built-in chains, which stay once they have been listed.
      await proxier.replace([]);
      await proxier.remove();
      await addOthers();
      const before = await dump();
      await proxier.replace([]);
      assert.notEqual(await dump(), before);
      await proxier.remove();
      await proxier.remove();
      assert.equal(await dump(), before);
    });

    test("[PROXY-1] checking what the kernel can do leaves nothing", async () => {
      for (const family of families) {
        const { proxier, dump, addOthers } = open(settingsOf(family));
        await addOthers();
        const before = await dump();
        await proxier.check();
        assert.equal(await dump(), before);
      }
    });
  });
}

/** Brings the state into the kernel. */
export async function fill(proxier: Proxier, state: DesiredState): Promise<void> {
  state.takeChange();
  await proxier.replace(frontendsOf(state, proxier.family));
}

async function filled(open: Open) {
  const state = openState();
  put(state, [service({ lb: ["lb"], sessionAffinity: "ClientIP" }), ...slices(["a", "b"])]);
  const subject = open(settingsOf("IPv4"));
  await fill(subject.proxier, state);
  return { state, ...subject };
}

const clusterOf = { one: "cluster", two: "other", three: "unused" } as const;

const changes = fc.record({
  name: fc.constantFrom("one", "two", "three"),
  gone: fc.boolean(),
  external: fc.boolean(),
  nodePort: fc.boolean(),
  policy: fc.constantFrom("Cluster", "Local"),
  affinity: fc.constantFrom("None", "ClientIP"),
  ranges: fc.subarray(["10.0.0.0/8", "10.1.0.0/16", "fd00::/16", "203.0.0.0/16"]),
  backends: fc.subarray<Party>(["a", "b", "c", "d"]),
});

type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

async function checkSequence(open: Open, list: readonly Change[], family: Family): Promise<void> {
  const state = openState();
  const { proxier, dump } = open(settingsOf(family));
  await proxier.replace([]);
  for (const change of list) {
    carryOut(change, state);
    await proxier.apply(state.takeChange().deltas[family]);
    if (change.external) await proxier.sweep();
  }
  await proxier.sweep();
  const fresh = open(settingsOf(family));
  await fresh.proxier.replace(frontendsOf(state, family));
  assert.equal(await dump(), await fresh.dump());
  assert.equal(proxier.size, fresh.proxier.size);
}

function carryOut(change: Change, state: DesiredState): void {
  const { name, gone, external, nodePort, policy, affinity, ranges, backends } = change;
  if (gone) return state.setService(`shop/${name}`, undefined);
  put(state, [
    service({
      name,
      cluster: [clusterOf[name]],
      lb: ["lb"],
      externalTrafficPolicy: policy,
      sessionAffinity: affinity,
      loadBalancerSourceRanges: ranges,
      ports: [{ port: 80, ...(nodePort && { nodePort: 30080 }) }],
      ...(external && { external: ["external"] }),
    }),
    ...slices(backends, { of: name }),
  ]);
}

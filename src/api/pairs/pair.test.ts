import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defined } from "../../base/json/defined.ts";
import { completePair, type Pair, type PairHolder, reconcilePair, valuesOf } from "./pair.ts";
import { clusterIPs, endpointIPs, podIPs } from "./pairs.ts";

const v6 = "fd00::2";
const v4 = "10.0.0.2";
const other = "10.0.0.3";

interface Row {
  readonly name: string;
  readonly pair?: Pair;
  readonly request: PairHolder;
  readonly old?: PairHolder;
  readonly isPatch?: boolean;
  readonly absent?: "removed";
  readonly result?: PairHolder;
  readonly error?: RegExp;
}

const marked = { ip: v6, properties: { network: "blue" } };
const stored = { podIP: v6, podIPs: [marked, { ip: v4 }] };

const rows: Row[] = [
  {
    name: "[POD-2] only the singular is given",
    request: { podIP: v4 },
    result: { podIP: v4, podIPs: [{ ip: v4 }] },
  },
  {
    name: "[POD-2] only the list is given",
    request: { podIPs: [{ ip: v6 }, { ip: v4 }] },
    result: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
  },
  {
    name: "[POD-2] both are given and agree, in different spellings",
    request: { podIP: "FD00:0::2", podIPs: [{ ip: "fd00:0:0::0:2" }, { ip: v4 }] },
    result: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
  },
  {
    name: "[POD-2] duplicates go after canonicalising",
    request: { podIPs: [{ ip: v6 }, { ip: v4 }, { ip: "FD00::0002" }] },
    result: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
  },
  {
    name: "[POD-3] both are given and differ",
    request: { podIP: v4, podIPs: [{ ip: v6 }] },
    error: /^status.podIP must equal podIPs\[0\], which is "fd00::2"$/,
  },
  {
    name: "[POD-3] a write that changes both differently is refused",
    old: stored,
    request: { podIP: other, podIPs: [{ ip: v4 }] },
    error: /status.podIP/,
  },
  {
    name: "[POD-3] a patch of the singular moves element 0",
    old: stored,
    isPatch: true,
    request: { ...stored, podIP: "fd00::3" },
    result: { podIP: "fd00::3", podIPs: [{ ip: "fd00::3" }, { ip: v4 }] },
  },
  {
    name: "[POD-3] a patch of the list takes the singular along",
    old: stored,
    isPatch: true,
    request: { ...stored, podIPs: [{ ip: v4 }] },
    result: { podIP: v4, podIPs: [{ ip: v4 }] },
  },
  {
    name: "[POD-3] a full write with a changed list and the old singular is refused",
    old: stored,
    request: { ...stored, podIPs: [{ ip: v4 }] },
    error: /status.podIP/,
  },
  {
    name: "[POD-10] a client that drops the list keeps it",
    old: stored,
    request: { podIP: v6 },
    result: stored,
  },
  {
    name: "[POD-10] a client that drops properties keeps them",
    old: stored,
    request: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
    result: stored,
  },
  {
    name: "[POD-10] null removes properties",
    old: stored,
    request: { podIP: v6, podIPs: [{ ip: v6, properties: null }, { ip: v4 }] },
    result: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
  },
  {
    name: "[POD-10] an empty map removes properties",
    old: stored,
    request: { podIP: v6, podIPs: [{ ip: v6, properties: {} }, { ip: v4 }] },
    result: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
  },
  {
    name: "[POD-10] properties go with an address that changes",
    old: stored,
    request: { podIP: "fd00::9", podIPs: [{ ip: "fd00::9" }, { ip: v4 }] },
    result: { podIP: "fd00::9", podIPs: [{ ip: "fd00::9" }, { ip: v4 }] },
  },
  {
    name: "[POD-10] an empty list beside the singular drops the others",
    old: stored,
    request: { podIP: v6, podIPs: [] },
    result: { podIP: v6, podIPs: [{ ip: v6 }] },
  },
  {
    name: "[POD-10] a patch that takes properties out removes them",
    old: stored,
    isPatch: true,
    absent: "removed",
    request: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
    result: { podIP: v6, podIPs: [{ ip: v6 }, { ip: v4 }] },
  },
  {
    name: "[POD-10] a patch that takes the list out leaves the singular",
    old: stored,
    isPatch: true,
    absent: "removed",
    request: { podIP: v6 },
    result: { podIP: v6, podIPs: [{ ip: v6 }] },
  },
  { name: "[POD-2] nothing given is nothing stored", request: {}, result: {} },
  {
    name: "[EP-1] endpoint addresses are plain strings",
    pair: endpointIPs,
    old: { ip: v6, ips: [v6, v4] },
    request: { ip: v6 },
    result: { ip: v6, ips: [v6, v4] },
  },
  {
    name: "[EP-1] an endpoint whose fields disagree is refused",
    pair: endpointIPs,
    request: { ip: v4, ips: [v6, v4] },
    error: /status.ip must equal/,
  },
  {
    name: "[SVC-4] clearing clusterIP clears clusterIPs",
    pair: clusterIPs,
    old: { clusterIP: v4, clusterIPs: [v4] },
    request: { clusterIP: "", clusterIPs: [v4] },
    result: {},
  },
  {
    name: "[POD-4] clearing podIP alone writes it back",
    old: stored,
    request: { podIP: "", podIPs: stored.podIPs },
    result: stored,
  },
];

for (const { name, pair = podIPs, request, old, isPatch = false, absent, result, error } of rows) {
  test(name, () => {
    const holder = structuredClone(request);
    const outcome = reconcilePair(holder, pair, {
      path: "status",
      isPatch,
      ...defined({ absent, old }),
    });
    const messages = outcome.errors.map((one) => `${one.field} ${one.detail}`);
    if (error !== undefined) {
      assert.match(messages.join("\n"), error);
    } else {
      assert.deepEqual(messages, []);
      assert.deepEqual(holder, result);
    }
  });
}

test("[VIP-2] where the list wins, the singular follows with a warning", () => {
  const vips: Pair = { ...endpointIPs, singular: "vip", plural: "vips", mismatch: "listWins" };
  const holder: PairHolder = { vip: other, vips: [v6, v4] };
  const outcome = reconcilePair(holder, vips, { path: "status" });
  assert.deepEqual(holder, { vip: v6, vips: [v6, v4] });
  assert.deepEqual(outcome.errors, []);
  assert.deepEqual(outcome.warnings, [
    "vip (10.0.0.3) and vips (fd00::2, 10.0.0.2) were both set and differed; vips takes precedence",
  ]);
});

test("[POD-4] objects stored before the list existed are completed on read", () => {
  const old: PairHolder = { podIP: v4 };
  completePair(old, podIPs);
  assert.deepEqual(old, { podIP: v4, podIPs: [{ ip: v4 }] });
  const listOnly: PairHolder = { podIPs: [{ ip: v6 }, { ip: v4 }] };
  completePair(listOnly, podIPs);
  assert.equal(listOnly.podIP, v6);
});

const address = fc.constantFrom(v4, other, "10.0.0.4", v6, "FD00::3", "fd00:0::4");
const element = fc.record(
  { ip: address, properties: fc.dictionary(fc.constantFrom("a", "b"), fc.string()) },
  { requiredKeys: ["ip"] },
);
const holderOf = fc.record(
  { podIP: fc.oneof(address, fc.constant("")), podIPs: fc.array(element, { maxLength: 4 }) },
  { requiredKeys: [] },
);

test("[POD-1] whatever is accepted has the singular equal to the first of the list, no duplicates", () => {
  fc.assert(
    fc.property(holderOf, fc.option(holderOf), fc.boolean(), (request, before, isPatch) => {
      const old: PairHolder | undefined = before === null ? undefined : structuredClone(before);
      if (old !== undefined) completePair(old, podIPs);
      const holder: PairHolder = structuredClone(request);
      const context = { path: "status", isPatch, ...defined({ old }) };
      if (reconcilePair(holder, podIPs, context).errors.length > 0) return;
      const values = valuesOf(holder, podIPs);
      assert.equal(holder.podIP, values[0]);
      assert.equal(new Set(values).size, values.length);
      const again = structuredClone(holder);
      assert.deepEqual(reconcilePair(again, podIPs, context).errors, []);
    }),
  );
});

test("[POD-10] old clients that read, change nothing and write back lose nothing", () => {
  fc.assert(
    fc.property(holderOf, fc.boolean(), (before, knowsList) => {
      const old: PairHolder = structuredClone(before);
      if (reconcilePair(old, podIPs, { path: "status" }).errors.length > 0) return;
      const written: PairHolder = { ...old };
      if (knowsList && old.podIPs !== undefined) {
        written.podIPs = valuesOf(old, podIPs).map((ip) => ({ ip }));
      } else {
        delete written.podIPs;
      }
      assert.deepEqual(reconcilePair(written, podIPs, { path: "status", old }).errors, []);
      assert.deepEqual(written, old);
    }),
  );
});

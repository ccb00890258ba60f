import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { defined } from "../../base/json/defined.ts";
import { platforms } from "../config/config.ts";
import { decide } from "./decide.ts";
import type { Infrastructure, PlatformSpec, PlatformStatus } from "./object.ts";
import { recordAnnotation, recordText } from "./record.ts";
import { around, degradedOf, statusOf } from "./testing/decisions.ts";
import { baremetal, bothPairs, first, firstPair, second } from "./testing/sample.ts";

test("[VIP-10] a spec alone leads to VIPs, unless it is wrong", () => {
  const { status: _, ...applied } = baremetal({}, bothPairs);
  const { desired, refused } = decide(applied, around);
  assert.deepEqual(refused, []);
  const untyped = decide({ ...applied, spec: { platformSpec: { baremetal: bothPairs } } }, around);
  assert.deepEqual(untyped.desired.status, desired.status);
  assert.deepEqual(statusOf(desired), { ...firstPair, ...bothPairs });
  assert.equal(desired.status?.infrastructureName, "cluster");
  assert.deepEqual(decide(desired, around).desired, desired);

  const wrong = decide(
    { ...applied, ...specOnly({ ...bothPairs, ingressIPs: [first.ingress, second.api] }) },
    around,
  );
  assert.equal(degradedOf(wrong.desired)?.status, "True");
  assert.equal(wrong.desired.status?.platformStatus, undefined);
});

test("[VIP-10] a restored object has the VIPs and the name of before, also on platforms without a spec", () => {
  for (const platform of platforms) {
    const { desired } = decide(
      {
        ...baremetal({}),
        status: {
          infrastructureName: "ostest",
          platformStatus: {
            type: platform.type,
            [platform.name]: { ...firstPair, loadBalancer: { type: "UserManaged" } },
          },
        },
      },
      around,
    );
    const { status, ...backup } = desired;
    const restored = decide(backup, around).desired;
    assert.deepEqual(restored.status?.platformStatus, status?.platformStatus, platform.name);
    assert.equal(restored.status?.infrastructureName, "ostest", platform.name);
  }
});

const good = decide(baremetal({ ...firstPair, ...bothPairs }, bothPairs), around).desired;
const statusPath = "status.platformStatus.baremetal";

const writes: readonly {
  name: string;
  status: PlatformStatus;
  message: string;
}[] = [
  {
    name: "another first VIP",
    status: { ...firstPair, ...bothPairs, apiServerInternalIPs: ["192.168.111.9", second.api] },
    message: `${statusPath}.apiServerInternalIPs: Invalid value: ["192.168.111.9","${second.api}"]: first VIP cannot be modified, have '${first.api}' and requested '192.168.111.9'`,
  },
  {
    name: "no addresses",
    status: { ...firstPair, ...bothPairs, apiServerInternalIPs: ["foo", "bar"] },
    message: `${statusPath}.apiServerInternalIPs: Invalid value: ["foo","bar"]: 'foo' is not an address`,
  },
  {
    name: "another second VIP",
    status: { ...firstPair, ...bothPairs, ingressIPs: [first.ingress, "fd00:111::77"] },
    message: `${statusPath}.ingressIPs: Invalid value: ["${first.ingress}","fd00:111::77"]: VIPs change by the spec, have '${first.ingress}, ${second.ingress}' and requested '${first.ingress}, fd00:111::77'`,
  },
];

for (const { name, status, message } of writes) {
  test(`[VIP-10] a status that somebody has written gives way, and a condition tells: ${name}`, () => {
    const object = {
      ...good,
      status: { ...good.status, platformStatus: { type: "BareMetal", baremetal: status } },
    };
    const { desired, warnings } = decide(object, around);
    assert.deepEqual(statusOf(desired), statusOf(good));
    assert.ok(warnings.includes(message), warnings.join("\n"));
    const told = ({ status: now }: Infrastructure) =>
      now?.conditions?.find(({ type }) => type === "StatusOverruled");
    assert.equal(told(desired)?.message, message);
    assert.equal(told(desired)?.status, "True");
    const settled = decide(desired, around);
    assert.deepEqual(settled.desired, desired, "it stays to be read");
    assert.deepEqual(settled.warnings, []);
    const asked = { ...desired, metadata: { ...desired.metadata, generation: 7 } };
    assert.equal(told(decide(asked, around).desired)?.status, "False", "until the spec changes");
  });
}

test("[VIP-10] a status that is emptied or lost comes back from what was in force", () => {
  for (const platformStatus of [
    undefined,
    { type: "BareMetal" },
    { type: "BareMetal", baremetal: {} },
    { type: "BareMetal", baremetal: { apiServerInternalIPs: [], ingressIPs: [] } },
  ]) {
    const status = { ...good.status, ...defined({ platformStatus }) };
    if (platformStatus === undefined) delete status.platformStatus;
    assert.deepEqual(statusOf(decide({ ...good, status }, around).desired), statusOf(good));
  }
});

test("[VIP-10] a name or a type that somebody has written into the status gives way", () => {
  const named = decide(
    { ...good, status: { ...good.status, infrastructureName: "ostest" } },
    around,
  );
  const { desired } = named;
  const { platformStatus } = desired.status ?? {};
  for (const written of [
    { infrastructureName: "other" },
    { platformStatus: { ...platformStatus, type: "AWS" } },
    { platformStatus: { ...platformStatus, type: "VSphere", vsphere: firstPair } },
  ]) {
    const mended = decide(
      { ...desired, status: { ...desired.status, ...written } },
      around,
    ).desired;
    assert.equal(mended.status?.infrastructureName, "ostest");
    assert.equal(mended.status.platformStatus?.type, "BareMetal");
    assert.deepEqual(statusOf(mended), statusOf(desired));
  }
});

test("[VIP-10] a spec that asks for another first VIP is held against what is in force, whatever the status says", () => {
  const spec = { ...bothPairs, apiServerInternalIPs: ["192.168.111.9", second.api] };
  const { refused, desired } = decide({ ...good, ...specOnly(spec) }, around);
  assert.match(
    refused.map(fieldErrorText).join(),
    /have '192.168.111.5' and requested '192.168.111.9'/,
  );
  assert.deepEqual(statusOf(desired), statusOf(good));
});

test("[VIP-10] a record that somebody has written counts only with another witness", () => {
  for (const text of [
    "",
    "{}",
    "[]",
    '{"type":7}',
    '{"type":"BareMetal","status":{"ingressIPs":"x"}}',
  ]) {
    const annotations = { [recordAnnotation]: text };
    const { desired } = decide({ ...good, metadata: { ...good.metadata, annotations } }, around);
    assert.deepEqual(desired, good, text);
  }
  const moved = recordText({
    type: "BareMetal",
    status: { apiServerInternalIPs: ["192.168.111.9"] },
  });
  const annotations = { [recordAnnotation]: moved };
  const { desired } = decide({ ...good, metadata: { ...good.metadata, annotations } }, around);
  assert.deepEqual(desired, good);
});

function specOnly(baremetalSpec: PlatformSpec): Pick<Infrastructure, "spec"> {
  return { spec: { platformSpec: { type: "BareMetal", baremetal: baremetalSpec } } };
}

const text = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom(first.api, second.api, first.ingress, second.ingress, "", "foo"),
);
const lists = fc.record(
  {
    apiServerInternalIP: text,
    apiServerInternalIPs: fc.array(text, { maxLength: 3 }),
    ingressIP: text,
    ingressIPs: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

test("[VIP-10] whatever one of spec, status and record says, the first VIPs stay where they are", () => {
  const firsts = ({ status }: Infrastructure) => {
    const found = status?.platformStatus?.baremetal;
    return [found?.apiServerInternalIPs?.[0], found?.ingressIPs?.[0]];
  };
  const { metadata } = good;
  fc.assert(
    fc.property(lists, fc.oneof(fc.json(), fc.string()), (written, note) => {
      const { apiServerInternalIP: _, ingressIP: __, ...asked } = written;
      const record = recordText({ type: "BareMetal", status: written });
      const objects: Infrastructure[] = [
        { ...good, status: { platformStatus: { type: "BareMetal", baremetal: written } } },
        { ...good, ...specOnly(asked) },
        ...[note, record].map((value) => ({
          ...good,
          metadata: { ...metadata, annotations: { [recordAnnotation]: value } },
        })),
      ];
      for (const object of objects) {
        const { desired } = decide(object, around);
        assert.deepEqual(firsts(desired), [first.api, first.ingress]);
        assert.deepEqual(decide(desired, around).desired, desired, "nothing is left to do");
      }
    }),
  );
});

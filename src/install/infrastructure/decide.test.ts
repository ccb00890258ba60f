import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { platforms } from "../config/config.ts";
import { decide } from "./decide.ts";
import type { Infrastructure, PlatformSpec, PlatformStatus } from "./object.ts";
import { baremetal, bothPairs, first, firstPair, second } from "./sample.fixture.ts";

const now = new Date("2026-01-01T00:00:00Z");
const statusOf = ({ status }: Infrastructure) => status?.platformStatus?.baremetal;
const specOf = ({ spec }: Infrastructure) => spec?.platformSpec?.baremetal;
const degradedOf = ({ status }: Infrastructure) =>
  status?.conditions?.find(({ type }) => type === "Degraded");

test("[VIP-5] the second pair is added, changed and removed; the first stays", () => {
  const added = decide(baremetal(firstPair, bothPairs), now);
  assert.deepEqual(added.refused, []);
  assert.deepEqual(statusOf(added.desired), { ...firstPair, ...bothPairs });
  assert.equal(degradedOf(added.desired)?.status, "False");

  const other = { ...bothPairs, apiServerInternalIPs: [first.api, "FD00:111::9"] };
  const changed = decide(baremetal({ ...firstPair, ...bothPairs }, other), now);
  assert.deepEqual(statusOf(changed.desired)?.apiServerInternalIPs, [first.api, "fd00:111::9"]);

  const { apiServerInternalIPs = [], ingressIPs = [] } = firstPair;
  const removed = decide(
    baremetal({ ...firstPair, ...bothPairs }, { apiServerInternalIPs, ingressIPs }),
    now,
  );
  assert.deepEqual(statusOf(removed.desired), firstPair);
});

test("[VIP-2] an upgrade adds no VIPs: an empty spec is filled in from the status", () => {
  const { desired, warnings } = decide(
    baremetal({ apiServerInternalIP: first.api, ingressIP: first.ingress }),
    now,
  );
  assert.deepEqual(statusOf(desired), firstPair);
  assert.deepEqual(specOf(desired), {
    apiServerInternalIPs: [first.api],
    ingressIPs: [first.ingress],
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(decide(desired, new Date("2027-01-01T00:00:00Z")).desired, desired);
});

const path = "spec.platformSpec.baremetal";
const networks = ["192.168.111.0/24", "fd00:111::/64"];

const refusals: readonly {
  name: string;
  spec: PlatformSpec;
  status?: PlatformStatus;
  errors: readonly string[];
}[] = [
  {
    name: "different numbers",
    spec: { ...bothPairs, ingressIPs: [first.ingress] },
    errors: [
      `${path}.ingressIPs: Invalid value: ["${first.ingress}"]: number of API VIPs (2) does not match number of Ingress VIPs (1)`,
    ],
  },
  {
    name: "too many, each counted by itself",
    spec: { ...bothPairs, ingressIPs: [first.ingress, second.ingress, "192.168.111.7"] },
    errors: [
      `${path}.ingressIPs: Invalid value: ["${first.ingress}","${second.ingress}","192.168.111.7"]: number of Ingress VIPs needs to be less or equal to 2, got 3`,
      `${path}.ingressIPs: Invalid value: ["${first.ingress}","${second.ingress}","192.168.111.7"]: number of API VIPs (2) does not match number of Ingress VIPs (3)`,
    ],
  },
  {
    name: "one address for both uses, in two spellings",
    spec: { ...bothPairs, ingressIPs: [first.ingress, "fd00:111:0::5"] },
    errors: [
      `${path}.apiServerInternalIPs: Invalid value: "${second.api}": VIPs cannot be equal, got '${second.api}' for API and 'fd00:111:0::5' for Ingress`,
    ],
  },
  {
    name: "two of one family",
    spec: { ...bothPairs, apiServerInternalIPs: [first.api, "192.168.111.6"] },
    errors: [
      `${path}.apiServerInternalIPs: Invalid value: ["${first.api}","192.168.111.6"]: with more than 1 API VIP at least one from each IP family is required`,
    ],
  },
  {
    name: "no address",
    spec: { ...bothPairs, apiServerInternalIPs: [first.api, "nonsense"] },
    errors: [`${path}.apiServerInternalIPs: Invalid value: "nonsense": is not an address`],
  },
  {
    name: "outside of the machine networks",
    spec: { ...bothPairs, machineNetworks: ["192.168.111.0/24", "fd00:222::/64"] },
    errors: [
      `${path}.apiServerInternalIPs: Invalid value: "${second.api}": VIP '${second.api}' cannot be found in any machine network`,
      `${path}.ingressIPs: Invalid value: "${second.ingress}": VIP '${second.ingress}' cannot be found in any machine network`,
    ],
  },
  {
    name: "another first VIP",
    spec: { ...bothPairs, apiServerInternalIPs: ["192.168.111.6", second.api] },
    errors: [
      `${path}.apiServerInternalIPs: Invalid value: "192.168.111.6": first VIP cannot be modified, have '${first.api}' and requested '192.168.111.6'`,
    ],
  },
  {
    name: "another first machine network",
    spec: { ...bothPairs, machineNetworks: networks.toReversed() },
    status: { ...firstPair, machineNetworks: networks },
    errors: [
      `${path}.machineNetworks: Invalid value: "fd00:111::/64": first machine network cannot be modified, have '192.168.111.0/24' and requested 'fd00:111::/64'`,
    ],
  },
  {
    name: "no machine networks any more",
    spec: bothPairs,
    status: { ...firstPair, machineNetworks: networks },
    errors: [`${path}.machineNetworks: Invalid value: []: removing machine networks is forbidden`],
  },
];

for (const { name, spec, status = firstPair, errors } of refusals) {
  test(`[VIP-5] refused, and the status stays: ${name}`, () => {
    const { desired, refused } = decide(baremetal(status, spec), now);
    assert.deepEqual(refused.map(fieldErrorText), errors);
    assert.deepEqual(statusOf(desired), status);
    assert.deepEqual(specOf(desired), spec);
    assert.equal(degradedOf(desired)?.status, "True");
    assert.equal(degradedOf(desired)?.message, errors.join("; "));
  });
}

test("[VIP-5] an own load balancer may have one address for both uses", () => {
  const both = [first.api];
  const status = {
    ...firstPair,
    ingressIP: first.api,
    ingressIPs: both,
    loadBalancer: { type: "UserManaged" },
  };
  const spec = { apiServerInternalIPs: both, ingressIPs: both };
  assert.deepEqual(decide(baremetal(status, spec), now).refused, []);
});

test("[VIP-5] a refusal keeps its time until it is over", () => {
  const spec = { ...bothPairs, ingressIPs: [first.ingress] };
  const later = new Date("2026-01-02T00:00:00Z");
  const refused = decide(decide(baremetal(firstPair, spec), now).desired, later).desired;
  assert.equal(degradedOf(refused)?.lastTransitionTime, "2026-01-01T00:00:00Z");
  const request = { spec: { platformSpec: { baremetal: bothPairs } } };
  const mended = decide({ ...refused, ...request }, later);
  assert.deepEqual(degradedOf(mended.desired), {
    type: "Degraded",
    status: "False",
    reason: "AsExpected",
    message: "",
    lastTransitionTime: "2026-01-02T00:00:00Z",
  });
});

test("[VIP-2] every platform is kept in step; only those with a spec take it over", () => {
  for (const platform of platforms) {
    const { desired } = decide(
      {
        ...baremetal({}),
        spec: { platformSpec: { [platform.name]: bothPairs } },
        status: {
          platformStatus: { type: platform.type, [platform.name]: { ...firstPair, ingressIP: "" } },
        },
      },
      now,
    );
    const status = desired.status?.platformStatus?.[platform.name];
    assert.equal(status?.ingressIP, first.ingress, platform.name);
    assert.equal(status?.ingressIPs?.length, platform.hasSpec ? 2 : 1, platform.name);
  }
});

test("[VIP-2] other platforms, and those without a status, are left alone", () => {
  const aws: Infrastructure = { ...baremetal({}), status: { platformStatus: { type: "AWS" } } };
  const upi: Infrastructure = { ...baremetal({}), status: { platformStatus: { type: "VSphere" } } };
  for (const object of [aws, upi]) assert.equal(decide(object, now).desired, object);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { Address } from "../../base/net/address.ts";
import { platforms } from "../config/config.ts";
import { decide } from "./decide.ts";
import type { Infrastructure, PlatformSpec, PlatformStatus } from "./object.ts";
import { around, degradedOf, specOf, statusOf } from "./testing/decisions.ts";
import { baremetal, bothPairs, first, firstPair, second } from "./testing/sample.ts";

test("[VIP-5] the second pair is added, changed and removed; the first stays", () => {
  const added = decide(baremetal(firstPair, bothPairs), around);
  assert.deepEqual(added.refused, []);
  assert.deepEqual(statusOf(added.desired), { ...firstPair, ...bothPairs });
  assert.equal(degradedOf(added.desired)?.status, "False");

  const other = { ...bothPairs, apiServerInternalIPs: [first.api, "FD00:111::9"] };
  const changed = decide(baremetal({ ...firstPair, ...bothPairs }, other), around);
  assert.deepEqual(statusOf(changed.desired)?.apiServerInternalIPs, [first.api, "fd00:111::9"]);

  const { apiServerInternalIPs = [], ingressIPs = [] } = firstPair;
  const removed = decide(
    baremetal({ ...firstPair, ...bothPairs }, { apiServerInternalIPs, ingressIPs }),
    around,
  );
  assert.deepEqual(statusOf(removed.desired), firstPair);
});

test("[VIP-2] an upgrade adds no VIPs: an empty spec is filled in from the status", () => {
  const { desired, warnings } = decide(
    baremetal({ apiServerInternalIP: first.api, ingressIP: first.ingress }),
    around,
  );
  assert.deepEqual(statusOf(desired), firstPair);
  assert.deepEqual(specOf(desired), {
    apiServerInternalIPs: [first.api],
    ingressIPs: [first.ingress],
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    decide(desired, { ...around, now: new Date("2027-01-01T00:00:00Z") }).desired,
    desired,
  );
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
    const { desired, refused } = decide(baremetal(status, spec), around);
    assert.deepEqual(refused.map(fieldErrorText), errors);
    assert.deepEqual(statusOf(desired), status);
    assert.deepEqual(specOf(desired), spec);
    assert.equal(degradedOf(desired)?.status, "True");
    assert.equal(degradedOf(desired)?.message, errors.join("; "));
  });
}

const taken: readonly (readonly [vip: string, conflict: string])[] = [
  ["192.168.111.20", "is the address of node master-0"],
  ["10.244.3.7", "is in the pod network 10.244.0.0/16"],
  ["10.96.0.9", "is in the service network 10.96.0.0/16"],
  ["192.168.111.0", "is the network address of 192.168.111.0/24"],
  ["192.168.111.255", "is the broadcast address of 192.168.111.0/24"],
  ["127.0.0.1", "is a loopback address"],
  ["224.0.0.18", "is a multicast address"],
  ["0.0.0.0", "is the unspecified address"],
];

for (const [vip, conflict] of taken) {
  test(`[VIP-11] a VIP that ${conflict} is refused`, () => {
    const machineNetworks = ["fd00:111::/64", "192.168.111.0/24", "0.0.0.0/0"];
    const have = {
      apiServerInternalIPs: [second.api],
      ingressIPs: [second.ingress],
      machineNetworks,
    };
    const spec = {
      ...have,
      apiServerInternalIPs: [second.api, vip],
      ingressIPs: [second.ingress, first.ingress],
    };
    const { refused, desired } = decide(baremetal(have, spec), around);
    assert.deepEqual(refused.map(fieldErrorText), [
      `${path}.apiServerInternalIPs: Invalid value: "${vip}": VIP '${vip}' ${conflict}`,
    ]);
    assert.deepEqual(statusOf(desired)?.apiServerInternalIPs, [second.api]);
  });
}

test("[VIP-11] a VIP in force that shows up among the addresses of its holder stays", () => {
  const nodes = [{ node: "master-0", address: Address.parse(first.api) }];
  assert.deepEqual(decide(baremetal(firstPair, bothPairs), { ...around, nodes }).refused, []);
});

test("[VIP-5] an own load balancer may have one address for both uses", () => {
  const both = [first.api];
  const status = {
    ...firstPair,
    ingressIP: first.api,
    ingressIPs: both,
    loadBalancer: { type: "UserManaged" },
  };
  const spec = { apiServerInternalIPs: both, ingressIPs: both };
  assert.deepEqual(decide(baremetal(status, spec), around).refused, []);
});

test("[VIP-5] a refusal keeps its time until it is over", () => {
  const spec = { ...bothPairs, ingressIPs: [first.ingress] };
  const later = { ...around, now: new Date("2026-01-02T00:00:00Z") };
  const refused = decide(decide(baremetal(firstPair, spec), around).desired, later).desired;
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
      around,
    );
    const status = desired.status?.platformStatus?.[platform.name];
    assert.equal(status?.ingressIP, first.ingress, platform.name);
    assert.equal(status?.ingressIPs?.length, platform.hasSpec ? 2 : 1, platform.name);
  }
});

test("[VIP-2] other platforms, and those without a status, are left alone", () => {
  const aws: Infrastructure = { ...baremetal({}), status: { platformStatus: { type: "AWS" } } };
  const upi: Infrastructure = { ...baremetal({}), status: { platformStatus: { type: "VSphere" } } };
  for (const object of [aws, upi]) assert.equal(decide(object, around).desired, object);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../../api/types/core.ts";
import type { Endpoint } from "../../../api/types/discovery.ts";
import type { SliceGroup } from "./slice-groups.ts";
import { made } from "./testing/made.ts";
import { claimed, podOf, serviceOf } from "./testing/objects.ts";
import { wantedFamilies } from "./wanted-families.ts";

function endpointsIn(groups: readonly SliceGroup[], family: string): Endpoint[] {
  return groups
    .filter((group) => group.family === family)
    .flatMap(({ endpoints }) => [...endpoints.values()]);
}

test("[EP-1] a dual-stack pod is one endpoint with a pair, and one in a slice of each family", () => {
  const { subsets, groups } = made(serviceOf(), [podOf({ node: "n1" })]);
  const targetRef = { kind: "Pod", namespace: "default", name: "a", uid: "uid-of-a" };
  assert.deepEqual(subsets, [
    {
      addresses: [{ ip: "10.0.0.1", ips: ["10.0.0.1", "fd00::1"], nodeName: "n1", targetRef }],
      ports: [{ port: 8080, protocol: "TCP" as const }],
    },
  ]);
  assert.deepEqual(
    groups.map(({ family, ports, endpoints }) => [family, ports, [...endpoints.values()]]),
    ["10.0.0.1", "fd00::1"].map((ip, index) => [
      ["IPv4", "IPv6"][index],
      [{ name: "", protocol: "TCP" as const, port: 8080 }],
      [
        {
          addresses: [ip],
          conditions: { ready: true, serving: true, terminating: false },
          targetRef,
          nodeName: "n1",
          zone: "east",
        },
      ],
    ]),
  );
});

const defaults = [
  { families: ["IPv4"], allowed: "dual-stack", ips: ["fd00::1", "10.0.0.1"], first: "10.0.0.1" },
  { families: ["IPv6"], allowed: "dual-stack", ips: ["10.0.0.1", "fd00::1"], first: "fd00::1" },
  { families: ["IPv6", "IPv4"], allowed: "dual-stack", ips: ["10.0.0.1"], first: "10.0.0.1" },
  { families: ["IPv6"], allowed: "ipv4", ips: ["fd00::1", "10.0.0.1"], first: "10.0.0.1" },
  { families: ["IPv4"], allowed: "ipv6", ips: ["10.0.0.1", "fd00::1"], first: "fd00::1" },
  { families: ["IPv4"], allowed: "ipv6", ips: ["10.0.0.1"], first: undefined },
] as const;

for (const { families, allowed, ips, first } of defaults) {
  test(`[EP-2] families ${families.join()}, endpointFamily ${allowed}, pod ${ips.join()}: ${first}`, () => {
    const service = serviceOf({ ipFamilies: [...families], endpointFamily: allowed });
    const { subsets } = made(service, [podOf({ ips })]);
    assert.equal(subsets[0]?.addresses?.[0]?.ip, first);
    assert.equal(subsets[0]?.addresses?.[0]?.ips?.[0], first);
  });
}

for (const [endpointFamily, family] of [
  ["ipv4", "IPv4"],
  ["ipv6", "IPv6"],
] as const) {
  test(`[SVC-2] with ${endpointFamily} there is no address of the other family anywhere`, () => {
    const service = serviceOf({ endpointFamily });
    const { subsets, groups } = made(service, [podOf()]);
    const ips = subsets.flatMap(({ addresses = [] }) =>
      addresses.flatMap((each) => each.ips ?? []),
    );
    assert.deepEqual(ips, [family === "IPv4" ? "10.0.0.1" : "fd00::1"]);
    assert.deepEqual(
      groups.map((group) => group.family),
      [family],
    );
  });
}

test("[EP-3] a service without backends keeps an empty slice of its own families only", () => {
  const families = (service: Service) => made(service, []).groups.map(({ family }) => family);
  assert.deepEqual(families(serviceOf()), ["IPv4"]);
  assert.deepEqual(families(serviceOf({ ipFamilies: ["IPv6", "IPv4"] })), ["IPv6", "IPv4"]);
  assert.deepEqual(families(serviceOf({ ipFamilies: ["IPv6"], endpointFamily: "ipv4" })), []);
  assert.deepEqual(made(serviceOf({ type: "ExternalName" }), [podOf()]).backends, []);
});

test("[EP-3] servers that do not know endpointFamily get slices of the service's families", () => {
  const { endpointFamily: _, ipFamilies: __, ...spec } = serviceOf().spec;
  assert.deepEqual(wantedFamilies({ ...serviceOf(), spec }), ["IPv4"]);
  const { clusterIP: ___, ...headless } = spec;
  assert.deepEqual(wantedFamilies({ ...serviceOf(), spec: headless }), ["IPv4", "IPv6"]);
});

for (const key of ["service-controller-name", "managed-by"]) {
  test(`[PROP-2] an address claimed by ${key} is left out, and so is a pod with no other`, () => {
    const some = podOf({ name: "some", ips: [claimed("10.0.0.1", "other", key), "fd00::1"] });
    const all = podOf({ name: "all", ips: [claimed("10.0.0.2", "other", key)] });
    const { subsets, groups } = made(serviceOf(), [some, all]);
    assert.deepEqual(
      subsets.flatMap(({ addresses = [] }) => addresses.map(({ ips }) => ips)),
      [["fd00::1"]],
    );
    assert.deepEqual(endpointsIn(groups, "IPv4"), []);
  });
}

test("[POD-5] addresses of further networks are no endpoints", () => {
  const marked = { ip: "10.9.0.1", properties: { "tandem.internal/network": "storage" } };
  const { backends } = made(serviceOf(), [podOf({ ips: [marked, "10.0.0.1"] })]);
  assert.deepEqual(backends[0]?.addresses, [{ family: "IPv4", ip: "10.0.0.1" }]);
});

const states = [
  { ready: true, terminating: false, publish: false, listed: "addresses", is: true },
  { ready: false, terminating: false, publish: false, listed: "notReadyAddresses", is: false },
  { ready: true, terminating: true, publish: false, listed: undefined, is: false },
  { ready: false, terminating: true, publish: false, listed: undefined, is: false },
  { ready: false, terminating: false, publish: true, listed: "addresses", is: true },
  { ready: false, terminating: true, publish: true, listed: "addresses", is: true },
] as const;

for (const { ready, terminating, publish, listed, is } of states) {
  test(`[EP-4] ready ${ready}, terminating ${terminating}, published ${publish}`, () => {
    const service = serviceOf({ publishNotReadyAddresses: publish });
    const { subsets, groups } = made(service, [podOf({ ready, terminating })]);
    const lists = ["addresses", "notReadyAddresses"] as const;
    assert.equal(
      lists.find((list) => subsets[0]?.[list] !== undefined),
      listed,
    );
    assert.deepEqual(endpointsIn(groups, "IPv4")[0]?.conditions, {
      ready: is,
      serving: ready,
      terminating,
    });
  });
}

for (const phase of ["Succeeded", "Failed"] as const) {
  test(`[EP-4] a pod that has ${phase.toLowerCase()} is no endpoint`, () => {
    assert.deepEqual(made(serviceOf(), [podOf({ phase })]).backends, []);
  });
}

test("[EP-4] a named port is looked up in each pod, and those without it are no endpoints", () => {
  const service = serviceOf({
    ports: [{ port: 80, targetPort: "http", protocol: "TCP" as const }],
  });
  const pods = [8080, 9090].map((containerPort) =>
    podOf({
      name: `p${containerPort}`,
      ips: [`10.0.0.${containerPort % 100}`],
      ports: [{ name: "http", containerPort }],
    }),
  );
  const udp = { name: "http", containerPort: 1, protocol: "UDP" as const };
  const others = [podOf({ name: "none", ips: ["10.0.0.3"] }), podOf({ name: "udp", ports: [udp] })];
  const { subsets } = made(service, [...pods, ...others]);
  assert.deepEqual(
    subsets.map(({ ports = [], addresses = [] }) => [ports[0]?.port, addresses[0]?.ip]),
    [
      [8080, "10.0.0.80"],
      [9090, "10.0.0.90"],
    ],
  );
});

test("[EP-4] a hostname is told only under the service that is the pod's subdomain", () => {
  const pod = podOf({ hostname: "db-0", subdomain: "web" });
  const hostname = (service: Service) => made(service, [pod]).subsets[0]?.addresses?.[0]?.hostname;
  assert.equal(hostname(serviceOf({}, "web")), "db-0");
  assert.equal(hostname(serviceOf({}, "other")), undefined);
});

test("[EP-4] a headless service needs no ports, any other does", () => {
  const headless = { clusterIP: "None", clusterIPs: ["None"], ports: [] };
  assert.deepEqual(
    made(serviceOf(headless), [podOf()]).subsets.map(({ ports }) => ports),
    [undefined],
  );
  assert.deepEqual(made(serviceOf({ ports: [] }), [podOf()]).subsets, []);
});

test("[EP-4] more than a thousand endpoints are cut, those that are ready first", () => {
  const pods = Array.from({ length: 1100 }, (_, n) =>
    podOf({ name: `p${n}`, ips: [`10.0.${n >> 8}.${n & 255}`], ready: n >= 600 }),
  );
  const { subsets, isTruncated } = made(serviceOf(), pods);
  assert.ok(isTruncated);
  assert.equal(subsets[0]?.addresses?.length, 500);
  assert.equal(subsets[0]?.notReadyAddresses?.length, 500);
});

test("hints name the endpoint's own zone, and node, where the service prefers what is near", () => {
  const hints = (trafficDistribution: "PreferClose" | "PreferSameNode" | "PreferSameZone") =>
    endpointsIn(made(serviceOf({ trafficDistribution }), [podOf({ node: "n2" })]).groups, "IPv4")[0]
      ?.hints;
  assert.deepEqual(hints("PreferClose"), { forZones: [{ name: "west" }] });
  assert.deepEqual(hints("PreferSameNode"), {
    forZones: [{ name: "west" }],
    forNodes: [{ name: "n2" }],
  });
});

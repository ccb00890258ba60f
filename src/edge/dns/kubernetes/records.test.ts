import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Pod, Service, ServiceSpec } from "../../../api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import { anyAddress } from "../../../base/net/testing/arbitraries.ts";
import { typeName } from "../wire/codes.ts";
import { nameOf, textOf } from "../wire/name.ts";
import { type DnsRecord, typeOf } from "../wire/record.ts";
import { dashed, reverseAddress, reverseName } from "./address-names.ts";
import { podRecords } from "./pod-records.ts";
import { serviceRecords } from "./service-records.ts";

const options = { domain: nameOf("cluster.local"), ttl: 5 };
const metadata = { namespace: "default", name: "web" };
const service = (spec: ServiceSpec): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec,
});

function slice(family: "IPv4" | "IPv6", endpoints: Endpoint[]): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "default", name: `web-${family}` },
    addressType: family,
    endpoints,
    ports: [{ name: "http", protocol: "TCP" as const, port: 8080 }],
  };
}

/** The records as lines: `web.default.svc A 10.0.0.1`. */
function told(records: readonly DnsRecord[]): string[] {
  return records.map(({ name, data }) => {
    const short = textOf(name).replace(".cluster.local.", "");
    const rest =
      data.kind === "address"
        ? data.address.toString()
        : data.kind === "service"
          ? `${data.port} ${textOf(data.target).replace(".cluster.local.", "")}`
          : "target" in data
            ? textOf(data.target).replace(".cluster.local.", "")
            : "";
    return `${short} ${typeName(typeOf(data))} ${rest}`;
  });
}

const none = { slices: [], endpoints: undefined };

describe("[DNS-1] a service with cluster IPs", () => {
  it("has an address record for each, a pointer back, and a service record for each named port", () => {
    const spec = {
      clusterIP: "10.96.0.9",
      clusterIPs: ["10.96.0.9", "fd00:96::9"],
      ports: [
        { name: "http", port: 80 },
        { port: 81 },
        { name: "dns", protocol: "UDP" as const, port: 53 },
      ],
    };
    assert.deepEqual(told(serviceRecords(service(spec), none, options)), [
      "web.default.svc A 10.96.0.9",
      "9.0.96.10.in-addr.arpa. PTR web.default.svc",
      "web.default.svc AAAA fd00:96::9",
      `${"9.".padEnd(48, "0.")}6.9.0.0.0.0.d.f.ip6.arpa. PTR web.default.svc`,
      "_http._tcp.web.default.svc SRV 80 web.default.svc",
      "_dns._udp.web.default.svc SRV 53 web.default.svc",
    ]);
  });

  it("has no records before it has an address", () => {
    assert.deepEqual(serviceRecords(service({ clusterIP: "" }), none, options), []);
  });
});

describe("[DNS-2] a headless service", () => {
  const slices = [
    slice("IPv4", [
      { addresses: ["10.0.0.1"], hostname: "db-0", conditions: { ready: true } },
      { addresses: ["10.0.0.2"], conditions: { ready: true } },
      { addresses: ["10.0.0.3"], conditions: { ready: false } },
    ]),
    slice("IPv6", [{ addresses: ["fd00::1"], hostname: "db-0" }, { addresses: ["fd00::2"] }]),
  ];
  const headless = (more: ServiceSpec = {}) => service({ clusterIP: "None", ...more });
  const addressesOf = (records: readonly DnsRecord[]) =>
    told(records).filter((line) => /^web.default.svc A/.test(line));

  it("has its endpoints, by name, by address and by port", () => {
    const records = told(serviceRecords(headless(), { slices, endpoints: undefined }, options));
    assert.deepEqual(
      records.filter((line) => !line.includes("arpa")).toSorted(),
      [
        "10-0-0-2.web.default.svc A 10.0.0.2",
        "_http._tcp.web.default.svc SRV 8080 10-0-0-2.web.default.svc",
        "_http._tcp.web.default.svc SRV 8080 db-0.web.default.svc",
        "_http._tcp.web.default.svc SRV 8080 fd00--2.web.default.svc",
        "db-0.web.default.svc A 10.0.0.1",
        "db-0.web.default.svc AAAA fd00::1",
        "fd00--2.web.default.svc AAAA fd00::2",
        "web.default.svc A 10.0.0.1",
        "web.default.svc A 10.0.0.2",
        "web.default.svc AAAA fd00::1",
        "web.default.svc AAAA fd00::2",
      ].toSorted(),
    );
    assert.ok(records.includes("1.0.0.10.in-addr.arpa. PTR db-0.web.default.svc"));
    assert.ok(records.includes("2.0.0.10.in-addr.arpa. PTR 10-0-0-2.web.default.svc"));
  });

  it("[SVC-2] has addresses of the families that its endpointFamily allows", () => {
    const count = (endpointFamily: "dual-stack" | "ipv4" | "ipv6") =>
      addressesOf(
        serviceRecords(headless({ endpointFamily }), { slices, endpoints: undefined }, options),
      ).map((line) => line.split(" ")[1]);
    assert.deepEqual(count("ipv4"), ["A", "A"]);
    assert.deepEqual(count("ipv6"), ["AAAA", "AAAA"]);
    assert.deepEqual(count("dual-stack"), ["A", "A", "AAAA", "AAAA"]);
  });

  it("[EP-3] with a selector has no addresses of slices that another controller writes", () => {
    const managed = slices.map((each, n) => {
      const manager = n === 0 ? "endpointslice-controller.k8s.io" : "fast-path.example.com";
      const labels = { "endpointslice.kubernetes.io/managed-by": manager };
      return { ...each, metadata: { ...each.metadata, labels } };
    });
    const count = (spec: ServiceSpec) =>
      addressesOf(
        serviceRecords(headless(spec), { slices: managed, endpoints: undefined }, options),
      ).map((line) => line.split(" ")[1]);
    assert.deepEqual(count({ selector: { app: "web" } }), ["A", "A"]);
    assert.deepEqual(count({}), ["A", "A", "AAAA", "AAAA"]);
  });

  it("[EP-4] tells of those that are not ready when it is asked to", () => {
    const spec = { publishNotReadyAddresses: true };
    const records = serviceRecords(headless(spec), { slices, endpoints: undefined }, options);
    assert.ok(told(records).includes("web.default.svc A 10.0.0.3"));
  });

  it("[EP-1] has the pairs of its Endpoints where there are no slices", () => {
    const endpoints = {
      apiVersion: "v1" as const,
      kind: "Endpoints" as const,
      metadata,
      subsets: [
        {
          addresses: [
            { ip: "fd00::1", ips: ["fd00::1", "10.0.0.1"], hostname: "a" },
            { ip: "10.0.0.2" },
          ],
          notReadyAddresses: [{ ip: "10.0.0.3" }],
          ports: [{ name: "http", port: 80 }],
        },
      ],
    };
    const records = told(serviceRecords(headless(), { slices: [], endpoints }, options));
    assert.ok(records.includes("a.web.default.svc A 10.0.0.1"));
    assert.ok(records.includes("a.web.default.svc AAAA fd00::1"));
    assert.ok(records.includes("10-0-0-2.web.default.svc A 10.0.0.2"));
    assert.ok(!records.some((line) => line.includes("10.0.0.3")));
    const sliced = serviceRecords(headless(), { slices, endpoints }, options);
    assert.ok(!told(sliced).some((line) => line.startsWith("a.")));
  });

  it("has an endpoint that is in two slices once", () => {
    const twice = [
      slice("IPv4", [{ addresses: ["10.0.0.1"] }]),
      slice("IPv4", [{ addresses: ["10.0.0.1"] }]),
    ];
    const records = serviceRecords(headless(), { slices: twice, endpoints: undefined }, options);
    assert.equal(addressesOf(records).length, 1);
  });
});

describe("[DNS-2] a service by an external name", () => {
  it("is an alias", () => {
    const spec = { type: "ExternalName" as const, externalName: "Www.Example.com" };
    const records = serviceRecords(service(spec), none, options);
    assert.deepEqual(told(records), ["web.default.svc CNAME www.example.com."]);
  });

  it("that is none has no records", () => {
    const spec = { type: "ExternalName" as const, externalName: "a..b" };
    assert.deepEqual(serviceRecords(service(spec), none, options), []);
  });
});

describe("[MODEL-5] a pod", () => {
  const pod = (more: Partial<Pod["status"]> = {}, spec: Partial<Pod["spec"]> = {}): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name: "p" },
    spec: { containers: [], ...spec },
    status: { podIPs: [{ ip: "10.0.0.5" }, { ip: "fd00:10:20::5" }], ...more },
  });

  it("has all its addresses under its name, and each under a name of its own", () => {
    assert.deepEqual(told(podRecords(pod(), options)), [
      "p.default.pod A 10.0.0.5",
      "10-0-0-5.default.pod A 10.0.0.5",
      "p.default.pod AAAA fd00:10:20::5",
      "fd00-10-20--5.default.pod AAAA fd00:10:20::5",
    ]);
  });

  it("has only its addresses on the default network under its name", () => {
    const name = (network: string) => ({ "tandem.internal/network": network });
    const podIPs = [
      { ip: "10.0.0.5", properties: { "tandem.internal/default-network": "tandem" } },
      { ip: "10.0.0.6", properties: name("tandem") },
      { ip: "192.168.7.2", properties: name("default/blue") },
      { ip: "fd00:7::2", properties: name("default/blue") },
    ];
    const names = told(podRecords(pod({ podIPs }), options));
    assert.deepEqual(
      names.filter((one) => one.startsWith("p.")),
      ["p.default.pod A 10.0.0.5", "p.default.pod A 10.0.0.6"],
    );
    assert.ok(names.includes("192-168-7-2.default.pod A 192.168.7.2"), "by address it is there");
  });

  it("that has ended, or has no address yet, has no records", () => {
    assert.deepEqual(podRecords(pod({ phase: "Succeeded" as const }), options), []);
    assert.deepEqual(podRecords(pod({ podIPs: [] }), options), []);
  });

  it("on the network of its host has no claim to the host's addresses", () => {
    const names = told(podRecords(pod({}, { hostNetwork: true }), options));
    assert.deepEqual(names, ["p.default.pod A 10.0.0.5", "p.default.pod AAAA fd00:10:20::5"]);
  });
});

describe("the name an address points back at", () => {
  it("leads back to the address", () => {
    assert.equal(textOf(reverseName(Address.parse("10.1.2.3"))), "3.2.1.10.in-addr.arpa.");
    const six = textOf(reverseName(Address.parse("fd00::1")));
    assert.equal(six, `${"1.".padEnd(60, "0.")}d.f.ip6.arpa.`);
    fc.assert(
      fc.property(anyAddress(), (address) => {
        assert.equal(reverseAddress(reverseName(address))?.toString(), address.toString());
        assert.match(dashed(address), /^[0-9a-f-]+$/);
      }),
    );
  });

  it("is read strictly", () => {
    for (const text of [
      "2.1.10.in-addr.arpa",
      "256.2.1.10.in-addr.arpa",
      "01.2.1.10.in-addr.arpa",
      "x.example",
    ]) {
      assert.equal(reverseAddress(nameOf(text)), undefined, text);
    }
  });
});

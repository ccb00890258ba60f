import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DnsServer, type Dug, ways } from "./dns-fixture.ts";

const domain = "default.svc.cluster.local";
const nothing = /^cluster\.local SOA ns\.dns\.cluster\.local hostmaster\.cluster\.local \d+ /;
const ports = [{ name: "http", protocol: "TCP", port: 8080 }];

describe("the records of a cluster", () => {
  let dns: DnsServer;
  before(async () => {
    dns = await DnsServer.start(["--reverse-cidrs=10.244.0.0/16"]);
    await prepare(dns);
  });
  after(() => dns?.[Symbol.asyncDispose]());

  const data = ({ answers }: Dug) => answers.map((line) => line.split(" ").slice(2).join(" "));
  const clusterIPs = async (name: string) => {
    const { body } = await dns.api.call("GET", `/api/v1/namespaces/default/services/${name}`);
    return (body["spec"] as { clusterIPs: string[] }).clusterIPs;
  };

  for (const { host, protocol } of ways) {
    it(`[DNS-1] [DNS-3] are told at ${host} with ${protocol}`, async () => {
      const [four = "", six = ""] = await clusterIPs("both");
      const how = [`@${host}`, protocol];
      const a = await dns.dig(`both.${domain}`, "A", how);
      assert.deepEqual(a.answers, [`both.${domain} A ${four}`]);
      assert.ok(a.flags.includes("aa"));
      const aaaa = await dns.dig(`BOTH.${domain}`, "AAAA", how);
      assert.deepEqual(aaaa.answers, [`BOTH.${domain} AAAA ${six}`]);
      const missing = await dns.dig(`missing.${domain}`, "A", how);
      assert.equal(missing.status, "NXDOMAIN");
      assert.match(missing.authorities[0] ?? "", nothing);
    });
  }

  it("[DNS-1] of the other family are nothing, rather than no such name", async () => {
    for (const [name, there, missing] of [
      ["four", "A", "AAAA"],
      ["six", "AAAA", "A"],
    ] as const) {
      assert.deepEqual(data(await dns.dig(`${name}.${domain}`, there)), await clusterIPs(name));
      const other = await dns.dig(`${name}.${domain}`, missing);
      assert.equal(other.status, "NOERROR");
      assert.deepEqual(other.answers, []);
      assert.match(other.authorities[0] ?? "", nothing);
    }
  });

  it("are nothing for names that only have others below them", async () => {
    for (const name of [
      domain,
      "svc.cluster.local",
      `_tcp.both.${domain}`,
      "kube-public.pod.cluster.local",
    ]) {
      const { status, answers } = await dns.dig(name, "A");
      assert.equal(status, "NOERROR", name);
      assert.deepEqual(answers, [], name);
    }
    assert.equal((await dns.dig("nowhere.svc.cluster.local", "A")).status, "NXDOMAIN");
    assert.equal((await dns.dig(`any.four.${domain}`, "A")).status, "NXDOMAIN");
  });

  for (const [endpointFamily, types] of [
    ["ipv4", ["A"]],
    ["ipv6", ["AAAA"]],
    ["dual-stack", ["A", "AAAA"]],
  ] as const) {
    it(`[DNS-2] [SVC-2] of a headless service with endpointFamily ${endpointFamily}`, async () => {
      const name = `headless-${endpointFamily}.${domain}`;
      const addresses = { A: ["10.244.1.1", "10.244.1.2"], AAAA: ["fd00:244::1", "fd00:244::2"] };
      const hosts = { A: ["10.244.1.1"], AAAA: ["fd00:244::1"] };
      for (const type of ["A", "AAAA"] as const) {
        const isThere = types.some((each) => each === type);
        const all = await dns.dig(name, type);
        assert.equal(all.status, "NOERROR");
        assert.deepEqual(data(all).toSorted(), isThere ? addresses[type] : []);
        const one = await dns.dig(`db-0.${name}`, type);
        assert.equal(one.status, "NOERROR");
        assert.deepEqual(data(one), isThere ? hosts[type] : []);
      }
      const targets = data(await dns.dig(`_http._tcp.${name}`, "SRV")).map(
        (each) => each.split(" ")[3] ?? "",
      );
      const dashed = types.map((type) => (type === "A" ? "10-244-1-2" : "fd00-244--2"));
      const labels = ["db-0", ...dashed].toSorted();
      assert.deepEqual(
        targets.toSorted(),
        labels.map((label) => `${label}.${name}`),
      );
    });
  }

  it("[DNS-2] have a service record for each named port", async () => {
    const srv = await dns.dig(`_http._tcp.both.${domain}`, "SRV");
    assert.deepEqual(srv.answers, [`_http._tcp.both.${domain} SRV 0 100 80 both.${domain}`]);
    assert.equal(srv.additionals.length, 2);
    const udp = await dns.dig(`_dns._udp.both.${domain}`, "SRV");
    assert.deepEqual(data(udp), [`0 100 53 both.${domain}`]);
  });

  it("[DNS-2] lead back from addresses of both families", async () => {
    for (const address of await clusterIPs("both")) {
      assert.deepEqual(data(await dns.dig("-x", address)), [`both.${domain}`]);
    }
    for (const address of ["10.244.1.1", "fd00:244::1"]) {
      const names = data(await dns.dig("-x", address));
      assert.ok(names.includes(`db-0.headless-dual-stack.${domain}`), names.join());
      assert.ok(names.length === 2, names.join());
    }
    assert.equal((await dns.dig("-x", "10.244.9.9")).status, "NXDOMAIN");
    assert.equal((await dns.dig("-x", "192.0.2.1")).status, "REFUSED");
  });

  it("[DNS-2] lead through external names", async () => {
    const [four = ""] = await clusterIPs("both");
    assert.deepEqual((await dns.dig(`first.${domain}`, "A")).answers, [
      `first.${domain} CNAME second.${domain}`,
      `second.${domain} CNAME both.${domain}`,
      `both.${domain} A ${four}`,
    ]);
    assert.equal((await dns.dig(`circle.${domain}`, "A")).status, "SERVFAIL");
  });

  it("[MODEL-5] tell of pods by name and by address", async () => {
    const pod = "default.pod.cluster.local";
    for (const [type, address, dashed] of [
      ["A", "10.244.7.7", "10-244-7-7"],
      ["AAAA", "fd00:244::77", "fd00-244--77"],
    ] as const) {
      assert.deepEqual(data(await dns.dig(`worker.${pod}`, type)), [address]);
      assert.deepEqual(data(await dns.dig(`${dashed}.${pod}`, type)), [address]);
    }
    const other = await dns.dig(`10-244-7-7.${pod}`, "AAAA");
    assert.equal(other.status, "NOERROR");
    assert.equal((await dns.dig(`10-244-8-8.${pod}`, "A")).status, "NXDOMAIN");
  });

  it("[EP-4] tell of endpoints that are not ready only where that is asked for", async () => {
    assert.deepEqual(data(await dns.dig(`unready.${domain}`, "A")), []);
    assert.deepEqual(data(await dns.dig(`published.${domain}`, "A")), ["10.244.3.3"]);
  });

  it("come in turn", async () => {
    const first = new Set<string>();
    for (let count = 0; count < 8; count++) {
      first.add(data(await dns.dig(`headless-ipv4.${domain}`, "A"))[0] ?? "");
    }
    assert.equal(first.size, 2);
  });

  it("say who speaks, and which rules they follow", async () => {
    assert.deepEqual(data(await dns.dig("cluster.local", "NS")), ["ns.dns.cluster.local"]);
    assert.match(data(await dns.dig("cluster.local", "SOA"))[0] ?? "", /^ns\.dns/);
    assert.deepEqual(data(await dns.dig("dns-version.cluster.local", "TXT")), ['"1.1.0"']);
    assert.deepEqual(data(await dns.dig("ns.dns.cluster.local", "A")), ["10.96.0.10"]);
  });
});

async function prepare(dns: DnsServer): Promise<void> {
  const all = [
    { name: "http", port: 80 },
    { name: "dns", protocol: "UDP", port: 53 },
  ];
  await dns.service("both", { ipFamilyPolicy: "RequireDualStack", ports: all });
  await dns.service("four", { ipFamilies: ["IPv4"], ports: all });
  await dns.service("six", { ipFamilies: ["IPv6"], ports: all });
  for (const endpointFamily of ["ipv4", "ipv6", "dual-stack"]) {
    const name = `headless-${endpointFamily}`;
    await dns.service(name, { clusterIP: "None", endpointFamily, ports: all.slice(0, 1) });
    const texts = { IPv4: ["10.244.1.1", "10.244.1.2"], IPv6: ["fd00:244::1", "fd00:244::2"] };
    for (const [addressType, [first = "", second = ""]] of Object.entries(texts)) {
      const endpoints = [{ addresses: [first], hostname: "db-0" }, { addresses: [second] }];
      const content = { addressType, endpoints, ports };
      await dns.slice(name, `${name}-${addressType.toLowerCase()}`, content);
    }
  }
  const external = (name: string, target: string) =>
    dns.service(name, { type: "ExternalName", externalName: `${target}.${domain}` });
  await external("first", "second");
  await external("second", "both");
  await external("circle", "circle");
  for (const name of ["unready", "published"]) {
    const isPublished = name === "published";
    await dns.service(name, { clusterIP: "None", publishNotReadyAddresses: isPublished });
    const endpoints = [{ addresses: ["10.244.3.3"], conditions: { ready: false } }];
    await dns.slice(name, name, { addressType: "IPv4", endpoints });
  }
  await dns.pod("worker", ["10.244.7.7", "fd00:244::77"]);
  await dns.create("/api/v1/namespaces/kube-system/services", {
    metadata: { name: "kube-dns" },
    spec: { clusterIP: "10.96.0.10", ports: all },
  });
  // Each of these is the last of what one of the server's watches tells.
  for (const last of ["ns.dns", "published.default.svc", "worker.default.pod"]) {
    const isThere = ({ answers }: Dug) => answers.length > 0;
    await dns.digUntil(`${last}.cluster.local`, "A", isThere);
  }
}

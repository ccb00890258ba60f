import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type * as packet from "dns-packet";
import { setUpResolver } from "./testing/resolver.ts";

describe("a resolver", () => {
  let setting: ReturnType<typeof setUpResolver>;
  beforeEach(() => {
    setting = setUpResolver();
  });
  afterEach(() => setting.end());

  const web = { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"], ports: [] };
  const alias = (externalName: string) => ({ type: "ExternalName", externalName });

  it("does not say that a name is not there before it knows", async () => {
    assert.equal(await setting.ask("web.default.svc.cluster.local", "A"), "SERVFAIL: ");
  });

  it("[DNS-1] has nothing, rather than no such name, of the other family", async () => {
    await setting.service("web", web);
    await setting.settle();
    const name = "web.default.svc.cluster.local";
    assert.equal(await setting.ask(name, "A"), "NOERROR: web.… A 10.96.0.9");
    assert.equal(await setting.ask(name, "AAAA"), "NOERROR:  | cluster.local SOA");
    assert.equal(await setting.ask(`x.${name}`, "A"), "NXDOMAIN:  | cluster.local SOA");
    assert.equal(
      await setting.ask("default.svc.cluster.local", "A"),
      "NOERROR:  | cluster.local SOA",
    );
    assert.equal(
      await setting.ask("cluster.local", "NS"),
      "NOERROR: cluster.local NS ns.dns.cluster.local",
    );
    assert.equal(
      await setting.ask("dns-version.cluster.local", "TXT"),
      "NOERROR: dns-version.cluster.local TXT 1.1.0",
    );
  });

  it("follows changes", async () => {
    await setting.service("web", web);
    await setting.settle();
    const name = "web.default.svc.cluster.local";
    assert.match(await setting.ask(name, "A"), /10.96.0.9/);
    const services = setting.api.client.resource("v1", "Service");
    await services.delete({ namespace: "default", name: "web" });
    await setting.settle();
    assert.match(await setting.ask(name, "A"), /^NXDOMAIN/);
  });

  it("[DNS-2] leads through aliases, inside and out", async () => {
    await setting.service("web", web);
    await setting.service("one", alias("two.default.svc.cluster.local"));
    await setting.service("two", alias("web.default.svc.cluster.local"));
    await setting.service("out", alias("www.example.com"));
    await setting.service("lost", alias("nobody.default.svc.cluster.local"));
    await setting.settle();
    const ask = (name: string, type: packet.RecordType) =>
      setting.ask(`${name}.default.svc.cluster.local`, type);
    const chain = "one.… CNAME two.…, two.… CNAME web.…";
    assert.equal(await ask("one", "A"), `NOERROR: ${chain}, web.… A 10.96.0.9`);
    assert.equal(await ask("one", "AAAA"), `NOERROR: ${chain} | cluster.local SOA`);
    assert.equal(await ask("one", "CNAME"), "NOERROR: one.… CNAME two.…");
    assert.equal(await ask("lost", "A"), "NXDOMAIN: lost.… CNAME nobody.… | cluster.local SOA");
    assert.equal(
      await ask("out", "AAAA"),
      "NOERROR: out.… CNAME www.example.com, www.example.com CNAME real.example.com, real.example.com AAAA 2001:db8::1",
    );
  });

  it("does not go round in circles", async () => {
    await setting.service("a", alias("b.default.svc.cluster.local"));
    await setting.service("b", alias("a.default.svc.cluster.local"));
    await setting.service("self", alias("self.default.svc.cluster.local"));
    for (let count = 0; count < 12; count++) {
      await setting.service(`n${count}`, alias(`n${count + 1}.default.svc.cluster.local`));
    }
    await setting.service("n12", web);
    await setting.settle();
    for (const name of ["a", "self", "n0"]) {
      assert.equal(await setting.ask(`${name}.default.svc.cluster.local`, "A"), "SERVFAIL: ", name);
    }
    assert.match(await setting.ask("n3.default.svc.cluster.local", "A"), /10\.96\.0\.9$/);
  });

  it("[DNS-3] asks upstream about everything else", async () => {
    await setting.settle();
    assert.equal(
      await setting.ask("www.example.com", "A"),
      "NOERROR: www.example.com CNAME real.example.com, real.example.com A 192.0.2.1",
    );
    assert.equal(await setting.ask("www.example.org", "A"), "NXDOMAIN: ");
    assert.equal(await setting.ask("www.example.com", "A", { flags: 0 }), "REFUSED: ");
    assert.equal(
      await setting.ask("1.0.0.10.in-addr.arpa", "PTR"),
      "NXDOMAIN:  | in-addr.arpa SOA",
    );
  });

  it("refuses what it does not do", async () => {
    await setting.settle();
    assert.equal(await setting.ask("cluster.local", "AXFR"), "REFUSED: ");
    const version = { type: "OPT", name: ".", udpPayloadSize: 512, ednsVersion: 1 };
    const additionals = [version as packet.OptAnswer];
    assert.equal(await setting.ask("cluster.local", "NS", { additionals }), "NOERROR: ");
  });

  it("says where the name server is reached", async () => {
    const services = setting.api.client.resource("v1", "Service");
    const spec = { ...web, clusterIPs: ["10.96.0.10", "fd00:96::a"] };
    await services.create({ metadata: { namespace: "kube-system", name: "kube-dns" }, spec });
    await setting.settle();
    assert.match(await setting.ask("ns.dns.cluster.local", "A"), /A 10\.96\.0\.10$/);
    assert.match(
      await setting.ask("ns.dns.cluster.local", "AAAA"),
      /^NOERROR: ns.dns.cluster.local AAAA/,
    );
  });
});

describe("a resolver without upstream servers", () => {
  it("refuses what is not the cluster's, and leaves aliases to the asker", async () => {
    const setting = setUpResolver({ servers: [] });
    const spec = { type: "ExternalName", externalName: "www.example.com" };
    await setting.service("out", spec);
    await setting.settle();
    assert.equal(await setting.ask("www.example.com", "A"), "REFUSED: ");
    assert.equal(
      await setting.ask("out.default.svc.cluster.local", "A"),
      "NOERROR: out.… CNAME www.example.com",
    );
    await setting.end();
  });
});

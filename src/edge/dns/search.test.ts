import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setUpResolver } from "./testing/resolver.ts";

const web = { clusterIP: "10.96.0.9", clusterIPs: ["10.96.0.9"], ports: [] };
const missing = "NXDOMAIN:  | cluster.local SOA";

describe("[DNS-3] a resolver that knows search lists", () => {
  let setting: ReturnType<typeof setUpResolver>;
  beforeEach(async () => {
    setting = setUpResolver({ autopath: true });
    await setting.service("web", web);
    await setting.pod("default", "a", ["10.244.0.5", "fd00:244::5"]);
    await setting.pod("other", "b", ["10.244.0.6"]);
    await setting.settle();
  });
  afterEach(() => setting.end());

  it("leads a pod of either family to the name that it means", async () => {
    for (const asker of ["10.244.0.5", "fd00:244::5"]) {
      // The names that a resolver tries first for `web.default` and `web.default.svc`.
      for (const meant of ["web.default", "web.default.svc"]) {
        const name = `${meant}.default.svc.cluster.local`;
        const shown = `${meant}.…`;
        assert.equal(
          await setting.ask(name, "A", { asker }),
          `NOERROR: ${shown} CNAME web.…, web.… A 10.96.0.9`,
        );
        assert.equal(
          await setting.ask(name, "AAAA", { asker }),
          `NOERROR: ${shown} CNAME web.… | cluster.local SOA`,
          "of the other family it has nothing, but exists",
        );
      }
    }
  });

  it("[MODEL-5] leads from a bare name to a pod of the namespace that asks, and to no other's", async () => {
    const asker = "10.244.0.5";
    await setting.pod("default", "c", ["10.244.0.8"]);
    await setting.settle();
    assert.equal(
      await setting.ask("c.default.svc.cluster.local", "A", { asker }),
      "NOERROR: c.… CNAME c.default.pod.cluster.local, c.default.pod.cluster.local A 10.244.0.8",
    );
    assert.equal(await setting.ask("b.default.svc.cluster.local", "A", { asker }), missing);
  });

  it("leads to the world as well", async () => {
    const asker = "10.244.0.5";
    assert.equal(
      await setting.ask("www.example.com.default.svc.cluster.local", "AAAA", { asker }),
      "NOERROR: www.example.com.… CNAME www.example.com, www.example.com CNAME real.example.com, real.example.com AAAA 2001:db8::1",
    );
    const nowhere = "www.example.org.default.svc.cluster.local";
    assert.equal(await setting.ask(nowhere, "A", { asker }), missing);
  });

  it("leads nobody whose search list it does not know", async () => {
    const name = "web.default.default.svc.cluster.local";
    for (const asker of ["10.244.0.6", "10.244.0.7", "fe80::1%eth0"]) {
      assert.equal(await setting.ask(name, "A", { asker }), missing, asker);
    }
    const asker = "10.244.0.5";
    for (const other of ["web.default.svc.svc.cluster.local", "web.default.pod.cluster.local"]) {
      assert.equal(await setting.ask(other, "A", { asker }), missing, other);
    }
  });

  it("does not stand in the way of names that exist", async () => {
    const asker = "10.244.0.5";
    const name = "web.default.svc.cluster.local";
    assert.equal(await setting.ask(name, "A", { asker }), "NOERROR: web.… A 10.96.0.9");
    assert.equal(await setting.ask(name, "AAAA", { asker }), "NOERROR:  | cluster.local SOA");
  });
});

it("a resolver that is not told to leaves search lists to the asker", async () => {
  const setting = setUpResolver();
  await setting.service("web", web);
  await setting.pod("default", "a", ["10.244.0.5"]);
  await setting.settle();
  const name = "web.default.default.svc.cluster.local";
  assert.equal(await setting.ask(name, "A", { asker: "10.244.0.5" }), missing);
  await setting.end();
});

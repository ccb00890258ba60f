import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeSysctl } from "../../../base/host/sysctl.fake.ts";
import { families } from "../../../base/net/family.ts";
import { prepareForwarding } from "./forwarding.ts";

async function settings(present: Readonly<Record<string, number>>): Promise<string> {
  const sysctl = new FakeSysctl();
  await sysctl.write({
    "net/ipv4/conf/all/rp_filter": 0,
    "net/ipv4/conf/eth0.5/rp_filter": 0,
    "net/ipv6/conf/all/accept_ra": 1,
    "net/ipv6/conf/eth0.5/accept_ra": 0,
    ...present,
  });
  await prepareForwarding(sysctl, { families, uplinks: ["eth0.5"], newLinksAreOurs: false });
  return sysctl.text;
}

test("packets are passed on in both families", async () => {
  const text = await settings({});
  assert.match(text, /net\/ipv4\/ip_forward = 1/);
  assert.match(text, /net\/ipv6\/conf\/all\/forwarding = 1/);
  assert.match(text, /eth0\.5\/rp_filter = 0/);
});

test("strict checks of sources become loose, wherever they were set", async () => {
  for (const link of ["all", "eth0.5"]) {
    const text = await settings({ [`net/ipv4/conf/${link}/rp_filter`]: 1 });
    assert.match(text, /eth0\.5\/rp_filter = 2/);
  }
});

test("routers are still heard by a link that heard them", async () => {
  assert.match(await settings({ "net/ipv6/conf/eth0.5/accept_ra": 1 }), /eth0\.5\/accept_ra = 2/);
  assert.match(await settings({}), /eth0\.5\/accept_ra = 0/);
});

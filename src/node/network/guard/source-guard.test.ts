import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { createLog } from "../../../base/program/log.ts";
import type { Attached } from "../cni/attached.ts";
import { guardedPorts, linkLocalOf } from "./ports.ts";
import { guardScript } from "./script.ts";
import { SourceGuard } from "./source-guard.ts";

const mac = "0a:58:0a:f4:00:05";

function attachedTo(
  links: readonly string[],
  { network = "tandem", ips = ["10.244.0.5/24", "fd00:244::5/64"] } = {},
): Attached {
  const pod = { name: "eth0", mac, sandbox: "/run/netns/pod" };
  return {
    container: "pod",
    interface: "eth0",
    namespace: "/run/netns/pod",
    network,
    isDefault: true,
    result: {
      interfaces: [...links.map((name) => ({ name })), pod],
      ips: ips.map((text) => {
        const [address = ""] = text.split("/");
        const prefix = Prefix.parse(`${address}/${address.includes(":") ? 128 : 32}`);
        return { address: prefix.first, prefix, interface: pod };
      }),
      routes: [],
      dns: { nameservers: [], search: [], options: [] },
    },
  };
}

test("[SEC-1] a port may carry the pod's own addresses, and the link-local one of its MAC address", () => {
  assert.equal(linkLocalOf(mac).toString(), "fe80::858:aff:fef4:5");
  const [port] = guardedPorts([attachedTo(["cbr0", "veth1"])]);
  assert.deepEqual(
    { ...port, addresses: port?.addresses.map(String) },
    {
      link: "veth1",
      isBridged: true,
      mac,
      addresses: ["10.244.0.5", "fd00:244::5", "fe80::858:aff:fef4:5"],
    },
  );
});

test("[SEC-1] networks of others are theirs to guard", () => {
  assert.deepEqual(guardedPorts([attachedTo(["br-lan", "veth1"], { network: "lan" })]), []);
  assert.deepEqual(guardedPorts([attachedTo([], { network: "tandem" })]), []);
});

test("[SEC-1] a port of the bridge and one of its own have rules of their own kind", () => {
  const ports = guardedPorts([attachedTo(["veth2"]), attachedTo(["cbr0", "veth1"])]);
  const script = guardScript(ports);
  assert.equal(script, guardScript(ports.toReversed()));
  const [, bridged = "", routed = ""] = script.split(/^table (?=\w+ tandem-guard \{)/m);
  assert.match(bridged, /^bridge .*"veth1" : goto pod/s);
  assert.doesNotMatch(bridged, /veth2/);
  assert.match(bridged, /set targets .* 0xfd000244000000000000000000000005/);
  assert.match(routed, /^inet .*"veth2" \. 10\.244\.0\.5/s);
  assert.doesNotMatch(routed, /ether|arp/);
});

test("[SEC-1] the rules follow the attachments, and go with the last one", async () => {
  const nft = new FakeNft();
  let all: Attached[] = [attachedTo(["cbr0", "veth1"])];
  const log = createLog({ write: () => undefined, format: "text" });
  const guard = new SourceGuard({ nft, attached: async () => all, log });
  await Promise.all([guard.sync(), guard.sync()]);
  assert.deepEqual(await nft.tables(), [{ family: "bridge", name: "tandem-guard" }]);
  await nft.deleteTable({ family: "bridge", name: "tandem-guard" });
  await guard.restore();
  assert.equal((await nft.tables()).length, 1);
  all = [];
  await guard.sync();
  assert.deepEqual(await nft.tables(), []);
});

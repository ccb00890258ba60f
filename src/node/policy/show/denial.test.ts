import assert from "node:assert/strict";
import { test } from "node:test";
import { denialText, readTraceLine } from "./denial.ts";

const start = "trace id df9a761e";
const ethernet = "ether saddr d6:e4:68:bb:be:5d ether daddr 72:f5:b9:e0:2f:f5";

test("[POL-7] a packet that nft tells of is read with its addresses, protocol and port", () => {
  const line = `${start} ip tandem-policy denied packet: iif "eth0" oif "cbr0" ${ethernet} ip saddr 10.244.1.2 ip daddr 10.244.0.3 ip dscp cs0 ip ecn not-ect ip ttl 62 ip id 34958 ip length 60 tcp sport 39308 tcp dport 8080 tcp flags == syn tcp window 64240 `;
  assert.deepEqual(readTraceLine(line), {
    source: "10.244.1.2",
    destination: "10.244.0.3",
    protocol: "tcp",
    port: 8080,
  });
});

test("[POL-7] a packet of a protocol without ports has its name and no port", () => {
  const line = `${start} ip6 tandem-policy denied packet: iif "eth0" ip6 saddr fd00::1 ip6 daddr fd00::2 ip6 nexthdr ipv6-icmp ip6 hoplimit 62 icmpv6 type echo-request`;
  assert.deepEqual(readTraceLine(line), {
    source: "fd00::1",
    destination: "fd00::2",
    protocol: "ipv6-icmp",
    port: 0,
  });
});

test("lines about rules, and about tables of others, are no denials", () => {
  for (const line of [
    `${start} ip tandem-policy denied rule drop (verdict drop)`,
    `${start} ip filter denied packet: ip saddr 10.0.0.1 ip daddr 10.0.0.2 tcp dport 80`,
    "",
  ]) {
    assert.equal(readTraceLine(line), undefined);
  }
});

test("[POL-7] a denial says who, to whom, on which port, and by which policy", () => {
  const denial = {
    time: "2026-01-01T00:00:00.000Z",
    source: "10.0.0.1",
    destination: "10.0.0.2",
    from: "shop/web",
    protocol: "tcp",
    port: 5432,
    direction: "ingress",
    by: "no ingress rule of shop/db-only allows it",
    isAudited: false,
  };
  assert.equal(
    denialText(denial),
    "2026-01-01T00:00:00.000Z shop/web (10.0.0.1) to 10.0.0.2 5432/tcp ingress denied: no ingress rule of shop/db-only allows it",
  );
  assert.match(denialText({ ...denial, isAudited: true }), /ingress would be denied: /);
});

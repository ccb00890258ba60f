import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readTraceLine, type TraceLine } from "./trace-line.ts";
import { type Visit, visitsOf } from "./visits.ts";

const own = "tandem-trace-1-1";

interface Seen {
  readonly way: string;
  readonly hops?: number;
  readonly devices?: string;
}

/** Formats a header `10.0.0.1:4000 10.96.0.1:80` as nft prints it. */
function header({ way, hops = 64, devices = 'iif "eth0"' }: Seen): string {
  const [[source, sport], [destination, dport]] = way.split(" ").map((end) => end.split(":")) as [
    [string, string],
    [string, string],
  ];
  return (
    `packet: ${devices} ether saddr 5e:d4:cb:7a:f0:98 ip saddr ${source} ip daddr ${destination} ` +
    `ip dscp 0x2b ip ttl ${hops} ip protocol tcp tcp sport ${sport} tcp dport ${dport} tcp flags == syn `
  );
}

function hear(id: string, said: readonly (readonly [where: string, what: string])[]): TraceLine[] {
  return said.map(([where, what]) => {
    const place = where.includes(" ") ? where : `inet ${own} ${where}`;
    const line = readTraceLine(`trace id ${id} ${place} ${what}`);
    assert(line !== undefined, what);
    return line;
  });
}

const begun = "rule ip dscp 0x2b meta nftrace set 1 (verdict continue)";
const [toService, toPod] = ["10.0.0.1:4000 10.96.0.1:80", "10.0.0.1:4000 10.1.2.11:8080"];

const atClient = hear("1", [
  ["first-output", header({ way: toService, devices: 'oif "eth0"' })],
  ["first-output", begun],
  ["last-postrouting", header({ way: toService, devices: 'oif "eth0"' })],
]);
const atNode = hear("2", [
  ["first-prerouting", header({ way: toService })],
  ["first-prerouting", begun],
  ["ip svc pre", "rule ip daddr . tcp dport vmap @m (verdict goto pick)"],
  ["ip svc pick", "rule dnat to 10.1.2.11:8080 (verdict accept)"],
  ["inet fw forward", header({ way: toPod, hops: 63 })],
  ["inet fw forward", "policy accept "],
  ["last-postrouting", header({ way: toPod, hops: 63, devices: 'iif "eth0" oif "v-b"' })],
]);
const atPod = hear("3", [
  ["first-prerouting", header({ way: toPod, hops: 63 })],
  ["first-prerouting", begun],
  ["last-input", header({ way: toPod, hops: 63 })],
]);

function summary(visits: readonly Visit[]): readonly string[] {
  return visits.map(
    ({ place, direction, began, ended }) => `${place} ${direction} ${began} ${ended}`,
  );
}

describe("visits", () => {
  test("stand in the order of the way, whoever was heard first", () => {
    const visits = visitsOf(
      [
        { place: "pod", lines: atPod },
        { place: "node", lines: atNode },
        { place: "client", lines: atClient },
      ],
      own,
    );
    assert.deepEqual(summary(visits), [
      "client forth sent left",
      "node forth received left",
      "pod forth received taken-in",
    ]);
  });

  test("are whole where the kernel changes a packet's id on the way, as behind a bridge", () => {
    const split = atNode.findIndex(({ table }) => table === "inet fw");
    const renamed = atNode.map((line, n) => (n < split ? line : { ...line, id: "another" }));
    const strange = hear("8", [
      ["inet fw forward", header({ way: "10.0.0.7:1 10.0.0.8:2" })],
      ["inet fw forward", "policy drop "],
    ]);
    const [visit, ...others] = visitsOf(
      [{ place: "node", lines: [...renamed.slice(0, split), ...strange, ...renamed.slice(split)] }],
      own,
    );
    assert.deepEqual(others, []);
    assert.deepEqual(visit, visitsOf([{ place: "node", lines: atNode }], own)[0]);
    assert.equal(visit?.ended, "left");
    assert.equal(visit?.translations[0]?.after, "10.1.2.11:8080");
  });

  test("pass a bridge, which takes no hop off, before whoever is behind it", () => {
    const bridge = hear("7", [
      ["first-prerouting", header({ way: toService, devices: 'iif "lan"' })],
      ["first-prerouting", begun],
      ["last-postrouting", header({ way: toService, devices: 'oif "lan"' })],
    ]);
    const visits = visitsOf(
      [
        { place: "node", lines: atNode },
        { place: "bridge", lines: bridge },
        { place: "client", lines: atClient },
      ],
      own,
    );
    assert.deepEqual(
      visits.map(({ place }) => place),
      ["client", "bridge", "node"],
    );
  });

  test("may be two in one place, when a packet comes back to where it was sent", () => {
    const hairpin = "10.0.0.9:5000 10.0.0.1:8080";
    const node = hear("2", [
      ["first-prerouting", header({ way: toService })],
      ["first-prerouting", begun],
      ["last-postrouting", header({ way: hairpin, devices: 'oif "cbr0"' })],
    ]);
    const again = hear("3", [
      ["first-prerouting", header({ way: hairpin })],
      ["first-prerouting", begun],
      ["last-input", header({ way: hairpin })],
    ]);
    const visits = visitsOf(
      [
        { place: "pod", lines: [...atClient, ...again] },
        { place: "node", lines: node },
      ],
      own,
    );
    assert.deepEqual(summary(visits), [
      "pod forth sent left",
      "node forth received left",
      "pod forth received taken-in",
    ]);
  });

  test("know what was translated, and by which rule", () => {
    const [visit] = visitsOf([{ place: "node", lines: atNode }], own);
    assert.deepEqual(
      visit?.translations.map(({ part, before, after, by }) => [part, before, after, by?.chain]),
      [["destination", "10.96.0.1:80", "10.1.2.11:8080", "pick"]],
    );
    assert.deepEqual(
      visit?.steps.map(({ chain }) => chain),
      ["pre", "pick", "forward"],
    );
  });

  test("happen once, however often a packet is sent again", () => {
    const again = atPod.map((line) => ({ ...line, id: "9" }));
    const visits = visitsOf([{ place: "pod", lines: [...atPod, ...again] }], own);
    assert.equal(visits.length, 1);
  });

  test("go on over the loopback device", () => {
    const way = "10.0.0.1:4000 10.0.0.1:80";
    const out = hear("1", [
      ["first-output", header({ way, devices: 'oif "lo"' })],
      ["first-output", begun],
      ["last-postrouting", header({ way, devices: 'oif "lo"' })],
    ]);
    const back = hear("2", [
      ["first-prerouting", header({ way, devices: 'iif "lo"' })],
      ["first-prerouting", begun],
      ["last-input", header({ way, devices: 'iif "lo"' })],
    ]);
    const visits = visitsOf([{ place: "node", lines: [...out, ...back] }], own);
    assert.deepEqual(summary(visits), ["node forth sent taken-in"]);
  });

  test("of answers are told from those of the probe, and others' traces are left out", () => {
    const answer = hear("1", [
      ["answer-output", header({ way: "10.1.2.11:8080 10.0.0.1:4000", devices: 'oif "eth0"' })],
      [
        "answer-output",
        "rule ct direction reply ct id @connections meta nftrace set 1 (verdict continue)",
      ],
      ["ip fw out", "rule tcp sport 8080 drop (verdict drop)"],
    ]);
    const foreign = hear("2", [
      ["ip debug pre", header({ way: toPod })],
      ["first-prerouting", header({ way: toPod })],
      ["first-prerouting", "policy accept "],
    ]);
    const visits = visitsOf([{ place: "pod", lines: [...answer, ...foreign] }], own);
    assert.deepEqual(summary(visits), ["pod back sent lost"]);
  });
});

test("lines that are not about packets are nothing", () => {
  assert.equal(readTraceLine("table inet filter"), undefined);
  assert.equal(readTraceLine("trace id 1 ip t c verdict continue "), undefined);
});

test("headers of IPv6, and rules in any words", () => {
  const line = readTraceLine(
    'trace id 5 inet t c packet: oif "lo" ip6 saddr ::1 ip6 daddr fd00::2 ip6 hoplimit 63 udp sport 5 udp dport 53 ',
  );
  assert.deepEqual(line?.kind === "packet" && line.header, {
    source: "::1",
    destination: "fd00::2",
    sourcePort: 5,
    destinationPort: 53,
    hopsLeft: 63,
    inDevice: undefined,
    outDevice: "lo",
  });
  const rule = readTraceLine(
    'trace id 5 ip t c rule tcp dport 9998 counter packets 0 bytes 0 comment "a (b)" reject with tcp reset (verdict drop)',
  );
  assert.equal(rule?.kind === "rule" && rule.verdict, "drop");
});

// The rules that keep a pod from speaking for others. On the bridge, frames have the pod's MAC address, ARP and
// neighbour discovery tell of its own addresses only, packets come from these, and nothing announces routers or
// addresses for others. Where the node routes for each pod alone, packets come from the pod's own addresses.
import type { NftTable } from "../../../base/host/nft.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { GuardedPort } from "./ports.ts";

export const guardTables: readonly NftTable[] = [
  { family: "bridge", name: "tandem-guard" },
  { family: "inet", name: "tandem-guard" },
];

/** Returns a script for nft(8) that replaces both tables; the same ports, in any order, make the same script. */
export function guardScript(ports: readonly GuardedPort[]): string {
  const sorted = ports.toSorted((one, other) => (one.link < other.link ? -1 : 1));
  const bridged = sorted.filter(({ isBridged }) => isBridged);
  const routed = sorted.filter(({ isBridged }) => !isBridged);
  return [
    ...guardTables.flatMap(({ family, name }) => [
      `add table ${family} ${name}`,
      `delete table ${family} ${name}`,
    ]),
    ...(bridged.length > 0 ? tableLines("bridge", bridged, bridgedRules) : []),
    ...(routed.length > 0 ? tableLines("inet", routed, routedRules) : []),
    "",
  ].join("\n");
}

function tableLines(
  family: string,
  ports: readonly GuardedPort[],
  rules: readonly string[],
): readonly string[] {
  const each = (value: (port: GuardedPort) => readonly string[]) =>
    ports.flatMap((port) => value(port).map((text) => `"${port.link}" . ${text}`)).join(", ");
  const ofFamily = (wanted: Family, text: (address: Address) => string) => (port: GuardedPort) =>
    port.addresses.filter((address) => address.family === wanted).map(text);
  const goto = ports.map(({ link }) => `"${link}" : goto pod`).join(", ");
  return [
    `table ${family} tandem-guard {`,
    `  map ports { type ifname : verdict; elements = { ${goto} }; }`,
    ...(family === "bridge"
      ? [
          setLine(
            "macs",
            "type ifname . ether_addr",
            each(({ mac }) => [mac]),
          ),
        ]
      : []),
    setLine("ipv4", "type ifname . ipv4_addr", each(ofFamily("IPv4", String))),
    setLine("ipv6", "type ifname . ipv6_addr", each(ofFamily("IPv6", String))),
    // The target of neighbour discovery has no name in older versions of nft, and so no type.
    setLine("targets", "typeof meta iifname . @th,64,128", each(ofFamily("IPv6", hexadecimal))),
    ...rules.map((line) => `  ${line}`),
    "}",
  ];
}

function setLine(name: string, type: string, elements: string): string {
  const filled = elements === "" ? "" : ` elements = { ${elements} };`;
  return `  set ${name} { ${type};${filled} }`;
}

function hexadecimal({ value }: Address): string {
  return `0x${value.toString(16).padStart(32, "0")}`;
}

/** A pod that has no address yet asks for neighbours and joins groups from the unspecified address. */
const fromUnspecified = [
  "ip6 saddr :: icmpv6 type nd-neighbor-solicit meta iifname . @th,64,128 @targets accept",
  "ip6 saddr :: icmpv6 type { nd-router-solicit, mld-listener-report, mld2-listener-report } accept",
];
const ownSources = {
  ipv4: "meta iifname . ip saddr @ipv4 accept",
  ipv6: "meta iifname . ip6 saddr @ipv6 accept",
};

const bridgedRules = [
  "chain from-arp {",
  "  arp htype != 1 drop",
  "  meta iifname . arp saddr ether != @macs drop",
  "  arp saddr ip 0.0.0.0 accept",
  "  meta iifname . arp saddr ip @ipv4 accept",
  "  drop",
  "}",
  "chain from-ipv4 {",
  "  udp sport 67 drop",
  `  ${ownSources.ipv4}`,
  "  drop",
  "}",
  "chain from-ipv6 {",
  "  icmpv6 type { nd-router-advert, nd-redirect } drop",
  "  icmpv6 type nd-neighbor-advert meta iifname . @th,64,128 != @targets drop",
  "  udp sport 547 drop",
  `  ${ownSources.ipv6}`,
  ...fromUnspecified.map((line) => `  ${line}`),
  "  drop",
  "}",
  "chain pod {",
  "  meta iifname . ether saddr != @macs drop",
  "  meta protocol vmap { arp : goto from-arp, ip : goto from-ipv4, ip6 : goto from-ipv6 }",
  "  drop",
  "}",
  "chain prerouting {",
  "  type filter hook prerouting priority -300; policy accept;",
  "  meta iifname vmap @ports",
  "}",
];

const routedRules = [
  "chain pod {",
  `  ${ownSources.ipv4}`,
  `  ${ownSources.ipv6}`,
  ...fromUnspecified.map((line) => `  ${line}`),
  "  drop",
  "}",
  "chain prerouting {",
  "  type filter hook prerouting priority raw; policy accept;",
  "  meta iifname vmap @ports",
  "}",
];

// The table of a family: its sets, and the chains that look packets up in them. docs/policy.md has a picture.
// The number that one rule finds is passed to the next in the packet's priority, since marks are used by
// others. Packets of pods without policies, and of established connections, keep their priority.

import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { type Direction, directions, type Side, sides } from "../plan/model.ts";
import { auditBit, reasonBit } from "../plan/reasons.ts";
import { masked, type Words, wordsOf } from "./words.ts";

/** The version in the table's comment. */
export const layoutVersion = "2";

/** The numbers of reasons that do not come from a policy. */
export const reservedReasons = { unknownPod: 2, nobodyDecided: 3 } as const;

export interface LayoutOptions {
  readonly family: Family;
  /** The prefixes of this node's pods: traffic of unknown addresses in them is dropped. */
  readonly podPrefixes: readonly Prefix[];
  /** The network interfaces that lead to pods, as nft writes names: no router is behind them. */
  readonly podLinks: readonly string[];
}

/**
 * The name prefixes of the sets that exist once for each prefix length, and are added with their first
 * element.
 */
export const byLength = [
  "ingress-networks",
  "egress-networks",
  "node-networks",
  "port-blocks",
] as const;

/**
 * Returns the commands that make the table, each as a verb and the rest behind the table's name: `add set`
 * and `local { … }`.
 */
export function layoutCommands(options: LayoutOptions): readonly (readonly [string, string])[] {
  const words = wordsOf(options.family);
  return [
    ...Object.entries(setsOf(options, words)).map(([name, rest]) => kindOf(name, rest)),
    ...[
      "denied",
      "verdict",
      "port-blocks",
      "ports",
      "end",
      "unknown",
      ...sides.map((side) => `${side}-networks`),
      ...directions,
    ].map((chain) => ["add chain", chain] as const),
    ...Object.entries(chainsOf(options, words)).flatMap(([chain, rules]) =>
      rules.map((rule) => ["add rule", `${chain} ${rule}`] as const),
    ),
    ...sides.flatMap((side) => lengthRules(`${side}-networks`, [], options.family)),
    ...lengthRules("port-blocks", [], options.family),
    ...hooksOf(options),
  ];
}

/** Returns the command that adds the set for a prefix length. */
export function lengthSet(name: string, family: Family): readonly [string, string] {
  const { addressType } = wordsOf(family);
  const type = name.startsWith("port-blocks")
    ? "classid . inet_proto . inet_service"
    : `${addressType} . ${addressType}`;
  return ["add map", `${name} { type ${type} : classid ; }`];
}

/** Returns the rules of a chain that looks into one set after the other, the longest prefixes first. */
export function lengthRules(
  chain: (typeof byLength)[number],
  lengths: readonly number[],
  family: Family,
): readonly (readonly [string, string])[] {
  const { ip } = wordsOf(family);
  const longestFirst = lengths.toSorted((one, other) => other - one);
  const rule = (text: string) => ["add rule", `${chain} ${text}`] as const;
  if (chain === "port-blocks") {
    return longestFirst.map((length) => {
      const mask = (0xffff << (16 - length)) & 0xffff;
      const key = `meta priority . meta l4proto . (th dport & ${mask})`;
      return rule(`meta priority set ${key} map @${chain}-${length} goto verdict`);
    });
  }
  const side = sides.find((one) => chain === `${one}-networks`) ?? "egress";
  const { own, other } = endsOf(side, ip);
  return [
    ...longestFirst.map((length) => {
      const key = `${own} . ${masked(other, length, family)}`;
      return rule(`meta priority set ${key} map @${chain}-${length} goto ports`);
    }),
    rule(`meta priority set ${own} map @${side}-subjects goto ports`),
  ];
}

function setsOf(
  { family, podPrefixes }: LayoutOptions,
  { addressType }: Words,
): Readonly<Record<string, string>> {
  const own = podPrefixes.filter((prefix) => prefix.family === family);
  const elements = own.length === 0 ? "" : ` elements = { ${own.join(", ")} } ;`;
  return {
    local: `{ type ${addressType} ; }`,
    "local-prefixes": `{ type ${addressType} ; flags interval ;${elements} }`,
    self: `{ type ${addressType} . ${addressType} ; }`,
    ended: `{ type ${addressType} . ${addressType} . inet_proto . inet_service . inet_service ; flags timeout ; }`,
    denials: "{ type classid ; size 65536 ; flags dynamic ; counter ; }",
    identities: `{ type ${addressType} : classid ; }`,
    programs: "{ type classid : classid ; }",
    protocols: "{ type classid . inet_proto : classid ; }",
    ports: "{ type classid . inet_proto . inet_service : classid ; }",
    ...Object.fromEntries(
      sides.map((side) => [`${side}-subjects`, `{ type ${addressType} : classid ; }`]),
    ),
    ...Object.fromEntries(
      directions.map((direction) => [
        `${direction}-peers`,
        `{ type ${addressType} . classid : classid ; }`,
      ]),
    ),
  };
}

function kindOf(name: string, rest: string): readonly [string, string] {
  return [/ : classid /.test(rest) ? "add map" : "add set", `${name} ${rest}`];
}

function endsOf(side: Side, ip: string): { readonly own: string; readonly other: string } {
  return side === "ingress"
    ? { own: `${ip} daddr`, other: `${ip} saddr` }
    : { own: `${ip} saddr`, other: `${ip} daddr` };
}

const none = "0:0";
const number = (id: number) => `0:${id.toString(16)}`;
const high = (bit: number) => `${(bit >>> 16).toString(16)}:0`;

function chainsOf({ family }: LayoutOptions, { ip }: Words): Readonly<Record<string, string[]>> {
  const always = alwaysPasses(family);
  return {
    // A pod may reach itself through a service, whatever its policies say.
    denied: [
      `${ip} saddr . ${ip} daddr @self meta priority set ${none} return`,
      ...always.map((match) => `${match} meta priority set ${none} return`),
      "update @denials { meta priority }",
      "limit rate 100/second meta nftrace set 1",
      `meta priority & ${high(auditBit)} != ${none} meta priority set ${none} return`,
      "drop",
    ],
    verdict: [`meta priority ${number(1)} meta priority set ${none} return`, "goto denied"],
    // Most packets are decided by the first rule, in which every expression costs: one that passes returns,
    // one that is denied goes on with the number of a reason, and any other with that of its program.
    ports: [
      `meta priority set meta priority . meta l4proto . th dport map @ports meta priority ${number(1)} meta priority set ${none} return`,
      `meta priority ${number(1)} meta priority set ${none} return`,
      `meta priority & ${high(reasonBit)} != ${none} goto denied`,
      // Packets that were decided in port-blocks return with priority 0.
      "jump port-blocks",
      `meta priority ${none} return`,
      "meta priority set meta priority . meta l4proto map @protocols goto verdict",
      "meta priority set meta priority map @programs goto verdict",
      `meta priority set ${number(reservedReasons.nobodyDecided)} goto denied`,
    ],
    end: [
      "tcp flags & (fin | syn | rst | ack) == syn return",
      "meta l4proto tcp reject with tcp reset",
      "drop",
    ],
    unknown: [
      ...always.map((match) => `${match} return`),
      `meta priority set ${number(reservedReasons.unknownPod)}`,
      "update @denials { meta priority }",
      "drop",
    ],
    ...Object.fromEntries(
      directions.map((direction) => [direction, directionRules(direction, ip)]),
    ),
  };
}

function directionRules(direction: Direction, ip: string): string[] {
  const { own, other } = endsOf(direction, ip);
  const identify = `meta priority set ${other} map @identities`;
  const find = `meta priority set ${own} . meta priority map @${direction}-peers goto ports`;
  return [
    // The usual case needs no more than this rule; the others look for what was missing.
    `${identify} ${find}`,
    `meta priority set ${none}`,
    identify,
    `meta priority ${none} goto ${direction}-networks`,
    `meta priority set ${number(1)}`,
    find,
    `meta priority set ${own} map @${direction}-subjects goto ports`,
  ];
}

/** Returns matches for the ICMP messages that no policy may drop; they are checked before a denial. */
function alwaysPasses(family: Family): readonly string[] {
  if (family === "IPv4") {
    return ["icmp type { destination-unreachable, time-exceeded, parameter-problem }"];
  }
  const errors = [
    "destination-unreachable",
    "packet-too-big",
    "time-exceeded",
    "parameter-problem",
  ];
  const neighbours = ["nd-router-solicit", "nd-neighbor-solicit", "nd-neighbor-advert"];
  const listeners = [
    "mld-listener-query",
    "mld-listener-report",
    "mld-listener-done",
    "mld2-listener-report",
  ];
  return [`icmpv6 type { ${[...errors, ...neighbours, ...listeners].join(", ")} }`];
}

/** Returns the base chains. The forward chain drops by default: without its rules it fails closed. */
function hooksOf({ family, podPrefixes, podLinks }: LayoutOptions): (readonly [string, string])[] {
  const { ip } = wordsOf(family);
  const isHeld = podPrefixes.some((prefix) => prefix.family === family);
  const tuple = `${ip} saddr . ${ip} daddr . meta l4proto . th sport . th dport`;
  const forward = [
    // Router advertisements are never forwarded legitimately: one that arrives here was sent by a pod.
    ...(family === "IPv6" ? ["icmpv6 type nd-router-advert drop"] : []),
    "ct state established,related accept",
    `${tuple} @ended jump end`,
    ...(isHeld
      ? ["saddr", "daddr"].map(
          (side) => `${ip} ${side} @local-prefixes ${ip} ${side} != @local jump unknown`,
        )
      : []),
    `meta priority set ${ip} saddr map @egress-subjects jump egress`,
    `meta priority set ${ip} daddr map @ingress-subjects jump ingress`,
    "accept",
  ];
  const input = [
    ...(family === "IPv6"
      ? podLinks.map((link) => `iifname "${link}" icmpv6 type nd-router-advert drop`)
      : []),
    "ct state established,related accept",
    `meta priority set ${ip} saddr map @node-subjects jump node-networks`,
  ];
  return [
    ["add chain", "forward { type filter hook forward priority filter ; policy drop ; }"],
    ...forward.map((rule) => ["add rule", `forward ${rule}`] as const),
    ["add chain", "input { type filter hook input priority filter ; }"],
    ...input.map((rule) => ["add rule", `input ${rule}`] as const),
  ];
}

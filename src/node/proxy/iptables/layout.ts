// The chains that exist whatever services there are. The kernel tries rules one by one, so services are
// sorted into buckets by the last byte of their address: sixteen times sixteen, found in two steps.

import type { Family } from "../../../base/net/family.ts";
import type { FamilySettings } from "../plan/frontend.ts";
import { hexDigits, lastByteMatch, masqueradeMark } from "./words.ts";

export type Table = "nat" | "filter" | "raw";

export interface Chain {
  readonly table: Table;
  readonly name: string;
  readonly rules: readonly string[];
}

/** A rule in one of the kernel's built-in chains that jumps to one of the proxy's. */
export interface Jump {
  readonly table: Table;
  readonly chain: string;
  readonly rule: string;
}

export const nodePortChains = { nat: "TANDEM-NODEPORTS", filter: "TANDEM-REFUSE-NODE" } as const;

/** The canary chain holds one rule, which whoever flushes tables removes as well. */
export const canaryChain = "TANDEM-CANARY";
export const canaryRule = "-j RETURN";

export function bucketChain(table: "nat" | "filter", bucket: string): string {
  return `${entry[table]}-${bucket}`;
}

const entry = { nat: "TANDEM-SERVICES", filter: "TANDEM-REFUSE" } as const;

export function layout(settings: FamilySettings): readonly Chain[] {
  return [
    ...(["nat", "filter"] as const).flatMap((table) => [
      ...buckets(table, settings.family),
      {
        table,
        name: entry[table],
        rules: [
          ...byDigit(table, { family: settings.family, prefix: "", mask: 0x0f }),
          ...toNodePorts(table, settings),
        ],
      },
      { table, name: nodePortChains[table], rules: [] },
      { table, name: canaryChain, rules: [canaryRule] },
    ]),
    {
      table: "nat",
      name: "TANDEM-POSTROUTING",
      rules: [
        `-m mark ! --mark ${masqueradeMark} -j RETURN`,
        "-j MARK --xor-mark 0x1000",
        "-j MASQUERADE --random-fully",
      ],
    },
    ...(settings.servesLoopback ? [loopbackGuard] : []),
  ];
}

export function jumps({ servesLoopback }: FamilySettings): readonly Jump[] {
  const undecided = "-m conntrack --ctstate NEW -m conntrack ! --ctstate DNAT";
  return [
    { table: "nat", chain: "PREROUTING", rule: `-j ${entry.nat}` },
    { table: "nat", chain: "OUTPUT", rule: `-j ${entry.nat}` },
    { table: "nat", chain: "POSTROUTING", rule: "-j TANDEM-POSTROUTING" },
    ...["INPUT", "FORWARD", "OUTPUT"].map((chain) => ({
      table: "filter" as const,
      chain,
      rule: `${undecided} -j ${entry.filter}`,
    })),
    ...(servesLoopback
      ? [{ table: "raw" as const, chain: "PREROUTING", rule: `-j ${loopbackGuard.name}` }]
      : []),
  ];
}

/**
 * The chain that drops packets to loopback addresses from outside, since a node that serves node ports
 * there routes them.
 */
const loopbackGuard: Chain = {
  table: "raw",
  name: "TANDEM-GUARD",
  rules: ["-d 127.0.0.0/8 ! -i lo -j DROP"],
};

/** The bucket chains of a table: by the last hexadecimal digit of the address, then by the one before. */
function buckets(table: "nat" | "filter", family: Family): readonly Chain[] {
  return hexDigits.flatMap((digit) => [
    {
      table,
      name: bucketChain(table, digit),
      rules: byDigit(table, { family, prefix: digit, mask: 0xf0 }),
    },
    ...hexDigits.map((other) => ({ table, name: bucketChain(table, other + digit), rules: [] })),
  ]);
}

function byDigit(
  table: "nat" | "filter",
  { family, prefix, mask }: { family: Family; prefix: string; mask: 0x0f | 0xf0 },
): readonly string[] {
  return hexDigits.map((digit, value) => {
    const byte = mask === 0x0f ? value : value << 4;
    const name = bucketChain(table, mask === 0x0f ? digit : digit + prefix);
    return `${lastByteMatch(family, { byte, mask })} -j ${name}`;
  });
}

function toNodePorts(table: "nat" | "filter", settings: FamilySettings): readonly string[] {
  const { family, nodePortPrefixes, servesLoopback } = settings;
  const loopback = family === "IPv4" ? "127.0.0.0/8" : "::1/128";
  return [
    ...(servesLoopback ? [] : [`-d ${loopback} -j RETURN`]),
    ...nodePortPrefixes.map((prefix) => {
      const where = prefix.length === 0 ? "" : `-d ${prefix} `;
      return `${where}-m addrtype --dst-type LOCAL -j ${nodePortChains[table]}`;
    }),
  ];
}

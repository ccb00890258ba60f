// What is in the table whatever services there are: sets, maps, and the chains that packets pass.
// docs/proxy.md has a picture.

import { bitsOf, type Family } from "../../net/family.ts";
import type { Prefix } from "../../net/prefix.ts";
import { type FamilySettings, protocols } from "../plan/frontend.ts";
import { affinityMap } from "./affinity.ts";
import { carriesNumber } from "./carried.ts";
import { CommandWriter } from "./commands.ts";
import { type Place, places, placeWords, type Words } from "./words.ts";

/** Stands in the set `layout`, which is quickly asked for: without it the table is none of ours. */
export const layoutVersion = "1";

/** Commands that make the table, but for the chains that the kernel calls. */
export function layoutCommands(settings: FamilySettings, words: Words): readonly string[] {
  const write = new CommandWriter(words);
  const addresses = settings.nodePortPrefixes.map(prefixText);
  return [
    write.table("add", ` { comment "services of the cluster, by tandem proxy" ; }`),
    ...sets(words).map((set) => write.add("set", set)),
    ...maps(words).map((map) => write.add("map", map)),
    ...write.addElements("node-addresses", addresses),
    // All first: they lead to each other.
    ...chains(settings, words).map(([chain]) => write.add("chain", chain)),
    ...chains(settings, words).flatMap(([chain, rules]) => write.rules(chain, rules)),
  ];
}

/** The chains that the kernel calls; with them the table takes effect. */
export function hookCommands(settings: FamilySettings, words: Words): readonly string[] {
  const write = new CommandWriter(words);
  return [
    write.add("chain", "prerouting { type nat hook prerouting priority dstnat ; }"),
    write.add("chain", "output { type nat hook output priority -100 ; }"),
    write.add("chain", "postrouting { type nat hook postrouting priority srcnat ; }"),
    ...write.rules("prerouting", ["jump dispatch"]),
    ...write.rules("output", ["jump dispatch"]),
    ...write.rules("postrouting", ["ct status dnat jump translated"]),
    ...(settings.servesLoopback ? loopbackGuard(write) : []),
  ];
}

const loopback: Readonly<Record<Family, string>> = { IPv4: "127.0.0.0/8", IPv6: "::1" };

/** A node that routes loopback addresses must see that none comes in from outside. */
function loopbackGuard(write: CommandWriter): readonly string[] {
  return [
    write.add("chain", "loopback-guard { type filter hook prerouting priority raw ; }"),
    ...write.rules("loopback-guard", [`iifname != "lo" ip daddr ${loopback.IPv4} drop`]),
  ];
}

function sets({ addressType }: Words): readonly string[] {
  const placed = `${addressType} . inet_proto . inet_service`;
  return [
    "layout { type mark ; }",
    `cluster-ips { type ${addressType} ; }`,
    `node-addresses { type ${addressType} ; flags interval ; }`,
    `guarded { type ${placed} ; }`,
    `hairpin { type ${addressType} . ${addressType} ; }`,
  ];
}

function maps(words: Words): readonly string[] {
  const { addressType } = words;
  return [
    affinityMap(),
    ...places.flatMap((place) => {
      const { keyType, dispatch } = placeWords(place, words);
      return [
        `${dispatch} { type ${keyType} : verdict ; }`,
        `${dispatch}-inside { type ${keyType} : verdict ; }`,
        `${dispatch}-outside { type ${keyType} : verdict ; }`,
        `${place}-endpoints { type ${keyType} . classid : ${addressType} . inet_service ; }`,
        `${place}-numbers { type ${keyType} . classid : classid ; }`,
        `${place}-masquerade { type ${keyType} : verdict ; }`,
      ];
    }),
  ];
}

type Chain = readonly [name: string, rules: readonly string[]];

function chains(settings: FamilySettings, words: Words): readonly Chain[] {
  const { ip } = words;
  const service = placeWords("service", words);
  const nodePort = placeWords("node-port", words);
  const { family, servesLoopback } = settings;
  const toNode = [
    `${ip} daddr @node-addresses`,
    ...(servesLoopback ? [] : [`${ip} daddr != ${loopback[family]}`]),
    "fib daddr type local",
  ].join(" ");
  return [
    [
      "dispatch",
      [
        `${service.key} @guarded jump check-source`,
        `${service.key} vmap @${service.dispatch}`,
        `${toNode} ${nodePort.key} vmap @${nodePort.dispatch}`,
        // A service has this address, but nothing on this port.
        `${ip} daddr @cluster-ips goto refuse`,
      ],
    ],
    ["refuse", ["meta l4proto tcp reject with tcp reset", "reject"]],
    ["check-source", ["drop"]],
    ...places.flatMap((place) => splitChains(place, { settings, words })),
    ["translated", translatedRules(settings, words)],
    ["masquerade-everyone", ["masquerade fully-random"]],
    ["masquerade-this-node", ["fib saddr type local masquerade fully-random"]],
  ];
}

/** Where pods and this node are led elsewhere than others are. */
export function splitChains(
  place: Place,
  { settings, words }: { settings: FamilySettings; words: Words },
): readonly Chain[] {
  const { key, dispatch } = placeWords(place, words);
  const { podPrefix } = settings;
  const isPod = podPrefix === undefined ? [] : [`${words.ip} saddr ${podPrefix}`];
  return [
    [`${place}-inside`, [`${key} vmap @${dispatch}-inside`, "drop"]],
    [
      `${place}-split`,
      [
        ...[...isPod, "fib saddr type local"].map((match) => `${match} goto ${place}-inside`),
        `${key} vmap @${dispatch}-outside`,
        "drop",
      ],
    ],
  ];
}

/** What happens to the source of a connection whose destination was translated, by us or by others. */
function translatedRules(settings: FamilySettings, words: Words): readonly string[] {
  const { ip } = words;
  const { podPrefix, masqueradeAll } = settings;
  const toClusterIP = `ct original ${ip} daddr @cluster-ips`;
  const originalKey = (place: Place): string => placeWords(place, words).originalKey;
  return [
    `${carriesNumber} meta priority set 0`,
    `${ip} saddr . ${ip} daddr @hairpin goto masquerade-everyone`,
    ...(masqueradeAll ? [`${toClusterIP} goto masquerade-everyone`] : []),
    ...(podPrefix === undefined
      ? []
      : [`${toClusterIP} ${ip} saddr != ${podPrefix} goto masquerade-everyone`]),
    // nft wants to know the protocol before it looks at the original port.
    ...protocols.map(
      (protocol) => `meta l4proto ${protocol} ${originalKey("service")} vmap @service-masquerade`,
    ),
    ...protocols.map(
      (protocol) =>
        `ct original ${ip} daddr @node-addresses meta l4proto ${protocol} ` +
        `${originalKey("node-port")} vmap @node-port-masquerade`,
    ),
  ];
}

function prefixText(prefix: Prefix): string {
  return prefix.length === bitsOf(prefix.family) ? prefix.first.toString() : prefix.toString();
}

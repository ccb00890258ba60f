// The table beside the virtual services: who is let in, who is refused, which packets get a mark, and
// whose source address becomes the node's.

import { bitsOf, type Family } from "../../net/family.ts";
import { CommandWriter } from "../nftables/commands.ts";
import { splitChains } from "../nftables/layout.ts";
import { type Place, places, placeWords, type Words } from "../nftables/words.ts";
import { type FamilySettings, protocols } from "../plan/frontend.ts";
import { nodeServices } from "./elements.ts";
import { carriesMark } from "./marks.ts";

export const tableName = "tandem-ipvs";
export const layoutVersion = "1";

export function layoutCommands(settings: FamilySettings, words: Words): readonly string[] {
  const write = new CommandWriter(words);
  const all = chains(settings, words);
  return [
    write.table("add", ` { comment "services of the cluster, by tandem proxy" ; }`),
    ...sets(words).map((set) => write.add("set", set)),
    ...maps(words).map((map) => write.add("map", map)),
    ...write.addElements(
      "node-addresses",
      settings.nodePortPrefixes.map((prefix) =>
        prefix.length === bitsOf(prefix.family) ? prefix.first.toString() : prefix.toString(),
      ),
    ),
    ...write.addElements("layout", [layoutVersion]),
    ...all.map(([chain]) => write.add("chain", chain)),
    ...all.flatMap(([chain, rules]) => write.rules(chain, rules)),
  ];
}

/** The chains that the kernel calls, before virtual services see the packet; and when it leaves. */
export function hookCommands(words: Words): readonly string[] {
  const write = new CommandWriter(words);
  return [
    write.add("chain", "prerouting { type filter hook prerouting priority -150 ; }"),
    write.add("chain", "output { type filter hook output priority -150 ; }"),
    write.add("chain", "postrouting { type nat hook postrouting priority srcnat ; }"),
    ...write.rules("prerouting", ["ct state new jump dispatch"]),
    ...write.rules("output", ["ct state new jump dispatch"]),
    ...write.rules("postrouting", ["jump served"]),
  ];
}

const loopback: Readonly<Record<Family, string>> = { IPv4: "127.0.0.0/8", IPv6: "::1" };

function sets({ addressType }: Words): readonly string[] {
  const placed = `${addressType} . inet_proto . inet_service`;
  return [
    "layout { type mark ; }",
    // Every address that services have, all of which are this node's own.
    `addresses { type ${addressType} ; }`,
    `cluster-ips { type ${addressType} ; }`,
    `node-addresses { type ${addressType} ; flags interval ; }`,
    `guarded { type ${placed} ; }`,
    `${nodeServices} { type ${placed} ; }`,
    `hairpin { type ${addressType} . ${addressType} ; }`,
  ];
}

function maps(words: Words): readonly string[] {
  return places.flatMap((place) => {
    const { keyType, dispatch } = placeWords(place, words);
    return [
      `${dispatch} { type ${keyType} : verdict ; }`,
      `${dispatch}-inside { type ${keyType} : verdict ; }`,
      `${dispatch}-outside { type ${keyType} : verdict ; }`,
      `${place}-marks { type ${keyType} : mark ; }`,
      `${place}-marks-outside { type ${keyType} : mark ; }`,
      `${place}-masquerade { type ${keyType} : verdict ; }`,
    ];
  });
}

type Chain = readonly [name: string, rules: readonly string[]];

function chains(settings: FamilySettings, words: Words): readonly Chain[] {
  const { ip } = words;
  const service = placeWords("service", words);
  const nodePort = placeWords("node-port", words);
  const toNode = `${ip} daddr @node-addresses ${ip} daddr != ${loopback[settings.family]} fib daddr type local`;
  return [
    [
      "dispatch",
      [
        `${service.key} @guarded jump check-source`,
        `${service.key} vmap @${service.dispatch}`,
        `${toNode} ${nodePort.key} vmap @${nodePort.dispatch}`,
        // Nothing of the node's own is to be reached at a service's address.
        `${ip} daddr @addresses meta l4proto { tcp, udp, sctp } goto refuse`,
      ],
    ],
    ["refuse", ["meta l4proto tcp reject with tcp reset", "reject"]],
    ["check-source", ["drop"]],
    ...places.flatMap((place) => placeChains(place, { settings, words })),
    ["served", servedRules(settings, words)],
    ["masquerade-everyone", ["masquerade fully-random"]],
    ["masquerade-this-node", ["fib saddr type local masquerade fully-random"]],
  ];
}

function placeChains(
  place: Place,
  { settings, words }: { settings: FamilySettings; words: Words },
): readonly Chain[] {
  const { key } = placeWords(place, words);
  return [
    [`${place}-mark`, [`meta mark set ${key} map @${place}-marks accept`]],
    [`${place}-mark-outside`, [`meta mark set ${key} map @${place}-marks-outside accept`]],
    ...splitChains(place, { settings, words }),
  ];
}

/** By where a connection was meant to go; virtual services leave that as it was. */
function servedRules(settings: FamilySettings, words: Words): readonly string[] {
  const { ip } = words;
  const { podPrefix, masqueradeAll } = settings;
  const toClusterIP = `ct original ${ip} daddr @cluster-ips`;
  const originalKey = (place: Place): string => placeWords(place, words).originalKey;
  return [
    `${carriesMark} meta mark set 0`,
    `${ip} saddr . ${ip} daddr @hairpin goto masquerade-everyone`,
    // The node takes a service's address for its own when it asks there.
    `ct original ${ip} daddr @addresses ${ip} saddr @addresses goto masquerade-everyone`,
    ...(masqueradeAll ? [`${toClusterIP} goto masquerade-everyone`] : []),
    ...(podPrefix === undefined
      ? []
      : [`${toClusterIP} ${ip} saddr != ${podPrefix} goto masquerade-everyone`]),
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

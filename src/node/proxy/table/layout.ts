// The parts of an nft table that exist whatever services there are, in every mode that has one: sets,
// maps, and the chains that packets pass.

import { bitsOf, type Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { type FamilySettings, protocols } from "../plan/frontend.ts";
import { CommandWriter } from "./commands.ts";
import { type Place, places, placeWords, type Words } from "./words.ts";

export type Chain = readonly [name: string, rules: readonly string[]];

/** The additional objects of one proxy mode. */
export interface Additions {
  readonly sets: readonly string[];
  readonly maps: readonly string[];
  readonly chains: readonly Chain[];
  /** The last rules of `dispatch`, for packets that match no frontend. */
  readonly otherwise: readonly string[];
}

export const loopback: Readonly<Record<Family, string>> = { IPv4: "127.0.0.0/8", IPv6: "::1" };

/** Returns the commands that make the table, except for its base chains. */
export function tableCommands(
  settings: FamilySettings,
  { words, additions }: { readonly words: Words; readonly additions: Additions },
): readonly string[] {
  const write = new CommandWriter(words);
  const chains = [...commonChains(settings, { words, additions }), ...additions.chains];
  return [
    write.table("add", ` { comment "services of the cluster, by tandem proxy" ; }`),
    ...[...commonSets(words), ...additions.sets].map((set) => write.add("set", set)),
    ...[...commonMaps(words), ...additions.maps].map((map) => write.add("map", map)),
    ...write.addElements("node-addresses", settings.nodePortPrefixes.map(prefixText)),
    // All chains are added before their rules, since they refer to each other.
    ...chains.map(([chain]) => write.add("chain", chain)),
    ...chains.flatMap(([chain, rules]) => write.rules(chain, rules)),
  ];
}

/** Returns the rules that masquerade, by the original destination of a connection. */
export function masqueradeRules(settings: FamilySettings, words: Words): readonly string[] {
  const { ip } = words;
  const { podPrefix, masqueradeAll } = settings;
  const toClusterIP = `ct original ${ip} daddr @cluster-ips`;
  const originalKey = (place: Place): string => placeWords(place, words).originalKey;
  return [
    `${ip} saddr . ${ip} daddr @hairpin goto masquerade-everyone`,
    ...(masqueradeAll ? [`${toClusterIP} goto masquerade-everyone`] : []),
    ...(podPrefix === undefined
      ? []
      : [`${toClusterIP} ${ip} saddr != ${podPrefix} goto masquerade-everyone`]),
    // The protocol must be matched first: nft wants to know it before it looks at the original port.
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

function commonSets({ addressType }: Words): readonly string[] {
  return [
    "layout { type mark ; }",
    `cluster-ips { type ${addressType} ; }`,
    `node-addresses { type ${addressType} ; flags interval ; }`,
    `guarded { type ${addressType} . inet_proto . inet_service ; }`,
    `hairpin { type ${addressType} . ${addressType} ; }`,
  ];
}

function commonMaps(words: Words): readonly string[] {
  return places.flatMap((place) => {
    const { keyType, dispatch } = placeWords(place, words);
    const names = [dispatch, `${dispatch}-inside`, `${dispatch}-outside`, `${place}-masquerade`];
    return names.map((name) => `${name} { type ${keyType} : verdict ; }`);
  });
}

function commonChains(
  settings: FamilySettings,
  { words, additions }: { readonly words: Words; readonly additions: Additions },
): readonly Chain[] {
  const service = placeWords("service", words);
  const nodePort = placeWords("node-port", words);
  return [
    [
      "dispatch",
      [
        `${service.key} @guarded jump check-source`,
        `${service.key} vmap @${service.dispatch}`,
        `${toNode(settings, words)} ${nodePort.key} vmap @${nodePort.dispatch}`,
        ...additions.otherwise,
      ],
    ],
    ["refuse", ["meta l4proto tcp reject with tcp reset", "reject"]],
    ["check-source", ["drop"]],
    ...places.flatMap((place) => splitChains(place, { settings, words })),
    ["masquerade-everyone", ["masquerade fully-random"]],
    ["masquerade-this-node", ["fib saddr type local masquerade fully-random"]],
  ];
}

/** Returns the match for packets to addresses at which node ports are served. */
function toNode({ family, servesLoopback }: FamilySettings, { ip }: Words): string {
  return [
    `${ip} daddr @node-addresses`,
    ...(servesLoopback ? [] : [`${ip} daddr != ${loopback[family]}`]),
    "fib daddr type local",
  ].join(" ");
}

/** Returns the chains of frontends that have another pool for outside clients than for pods and this node. */
function splitChains(
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

function prefixText(prefix: Prefix): string {
  return prefix.length === bitsOf(prefix.family) ? prefix.first.toString() : prefix.toString();
}

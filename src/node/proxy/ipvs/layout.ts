// The nft table beside the virtual services: which clients are let in, which are refused, which packets
// get a mark, and whose source address becomes the node's.

import type { FamilySettings } from "../plan/frontend.ts";
import { CommandWriter } from "../table/commands.ts";
import { type Chain, masqueradeRules, tableCommands } from "../table/layout.ts";
import { type Place, places, placeWords, type Words } from "../table/words.ts";
import { nodeServices } from "./elements.ts";
import { carriesMark } from "./marks.ts";

export const tableName = "tandem-ipvs";
export const layoutVersion = "1";

export function layoutCommands(settings: FamilySettings, words: Words): readonly string[] {
  const { ip, addressType } = words;
  const additions = {
    sets: [
      // The addresses of services, all of which are this node's own.
      `addresses { type ${addressType} ; }`,
      `${nodeServices} { type ${addressType} . inet_proto . inet_service ; }`,
    ],
    maps: places.flatMap((place) => markMaps(place, words)),
    chains: [
      ...places.flatMap((place) => markChains(place, words)),
      ["served", servedRules(settings, words)],
    ],
    // No program of the node is to be reached at a service's address.
    otherwise: [`${ip} daddr @addresses meta l4proto { tcp, udp, sctp } goto refuse`],
  } as const;
  return [
    ...tableCommands(settings, { words, additions }),
    ...new CommandWriter(words).addElements("layout", [layoutVersion]),
  ];
}

/** Returns the base chains: those before virtual services see the packet, and the one when it leaves. */
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

function markMaps(place: Place, words: Words): readonly string[] {
  const { keyType } = placeWords(place, words);
  const names = [`${place}-marks`, `${place}-marks-outside`];
  return names.map((name) => `${name} { type ${keyType} : mark ; }`);
}

function markChains(place: Place, words: Words): readonly Chain[] {
  const { key } = placeWords(place, words);
  return [
    [`${place}-mark`, [`meta mark set ${key} map @${place}-marks accept`]],
    [`${place}-mark-outside`, [`meta mark set ${key} map @${place}-marks-outside accept`]],
  ];
}

/**
 * Returns the rules for packets that virtual services have translated; conntrack keeps their original
 * destination.
 */
function servedRules(settings: FamilySettings, words: Words): readonly string[] {
  const { ip } = words;
  return [
    `${carriesMark} meta mark set 0`,
    // The node uses a service's own address as source when it is the client.
    `ct original ${ip} daddr @addresses ${ip} saddr @addresses goto masquerade-everyone`,
    ...masqueradeRules(settings, words),
  ];
}

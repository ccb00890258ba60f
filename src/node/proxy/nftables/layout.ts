// What the table of this mode has whatever services there are. docs/proxy.md has a picture.

import type { FamilySettings } from "../plan/frontend.ts";
import { CommandWriter } from "../table/commands.ts";
import { loopback, masqueradeRules, tableCommands } from "../table/layout.ts";
import { places, placeWords, type Words } from "../table/words.ts";
import { affinityMap } from "./affinity.ts";
import { carriesNumber } from "./carried.ts";

/** Stands in the set `layout`, which is quickly asked for: without it the table is none of ours. */
export const layoutVersion = "1";

/** Commands that make the table, but for the chains that the kernel calls. */
export function layoutCommands(settings: FamilySettings, words: Words): readonly string[] {
  const additions = {
    sets: [],
    maps: [affinityMap(), ...endpointMaps(words)],
    chains: [["translated", translatedRules(settings, words)]],
    // A service has this address, but nothing on this port.
    otherwise: [`${words.ip} daddr @cluster-ips goto refuse`],
  } as const;
  return tableCommands(settings, { words, additions });
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

/** A node that routes loopback addresses must see that none comes in from outside. */
function loopbackGuard(write: CommandWriter): readonly string[] {
  return [
    write.add("chain", "loopback-guard { type filter hook prerouting priority raw ; }"),
    ...write.rules("loopback-guard", [`iifname != "lo" ip daddr ${loopback.IPv4} drop`]),
  ];
}

function endpointMaps(words: Words): readonly string[] {
  return places.flatMap((place) => {
    const { keyType } = placeWords(place, words);
    return [
      `${place}-endpoints { type ${keyType} . classid : ${words.addressType} . inet_service ; }`,
      `${place}-numbers { type ${keyType} . classid : classid ; }`,
    ];
  });
}

/** What happens to the source of a connection whose destination was translated, by us or by others. */
function translatedRules(settings: FamilySettings, words: Words): readonly string[] {
  return [`${carriesNumber} meta priority set 0`, ...masqueradeRules(settings, words)];
}

// The parts of the table that exist whatever services there are. docs/proxy.md has a picture.

import type { FamilySettings } from "../plan/frontend.ts";
import { CommandWriter } from "../table/commands.ts";
import { loopback, masqueradeRules, tableCommands } from "../table/layout.ts";
import { places, placeWords, type Words } from "../table/words.ts";
import { affinityMap } from "./affinity.ts";
import { carriesNumber } from "./carried.ts";

/** The version in the set `layout`, which is quick to read: a table without it is not the proxy's. */
export const layoutVersion = "1";

/** Returns the commands that make the table, except for its base chains. */
export function layoutCommands(settings: FamilySettings, words: Words): readonly string[] {
  const additions = {
    sets: [],
    maps: [affinityMap(), ...endpointMaps(words)],
    chains: [["translated", translatedRules(settings, words)]],
    // The address is a service's cluster IP, but the service does not have this port.
    otherwise: [`${words.ip} daddr @cluster-ips goto refuse`],
  } as const;
  return tableCommands(settings, { words, additions });
}

/** Returns the base chains, which the kernel calls; with them the table takes effect. */
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

/**
 * Drops packets to loopback addresses from outside, since a node that serves node ports there routes
 * them.
 */
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

/**
 * Returns the rules for the source address of a connection whose destination was translated, by the proxy
 * or by others.
 */
function translatedRules(settings: FamilySettings, words: Words): readonly string[] {
  return [`${carriesNumber} meta priority set 0`, ...masqueradeRules(settings, words)];
}

// How nft spells what differs between the families, and between the two kinds of places.

import type { NftTable } from "../../../base/host/nft.ts";
import type { Family } from "../../../base/net/family.ts";

export interface Words {
  readonly table: NftTable;
  /** `ip` or `ip6`, as a table's family and as the name of the header. */
  readonly ip: "ip" | "ip6";
  readonly addressType: "ipv4_addr" | "ipv6_addr";
}

export function wordsOf(family: Family, name: string): Words {
  return family === "IPv4"
    ? { table: { family: "ip", name }, ip: "ip", addressType: "ipv4_addr" }
    : { table: { family: "ip6", name }, ip: "ip6", addressType: "ipv6_addr" };
}

/** Services are found by address, protocol and port; node ports by protocol and port alone. */
export const places = ["service", "node-port"] as const;

export type Place = (typeof places)[number];

/** What the places have in common: the texts of their keys, and the names of their maps. */
export interface PlaceWords {
  /** What a packet is looked up by. */
  readonly key: string;
  /** The same, of the first packet of a flow, before it was translated. */
  readonly originalKey: string;
  readonly keyType: string;
  /** Name of the map that leads from places to chains. */
  readonly dispatch: string;
}

export function placeWords(place: Place, words: Words): PlaceWords {
  const { ip, addressType } = words;
  const fields = place === "service" ? [`${ip} daddr`] : [];
  const original = place === "service" ? [`ct original ${ip} daddr`] : [];
  const types = place === "service" ? [addressType] : [];
  return {
    key: [...fields, "meta l4proto", "th dport"].join(" . "),
    originalKey: [...original, "meta l4proto", "ct original proto-dst"].join(" . "),
    keyType: [...types, "inet_proto", "inet_service"].join(" . "),
    dispatch: `${place}s`,
  };
}

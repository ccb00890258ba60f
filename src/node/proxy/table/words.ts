// The spelling of nft, where it differs between families and between the two kinds of frontends.

import type { NftTable } from "../../../base/host/nft.ts";
import type { Family } from "../../../base/net/family.ts";

export interface Words {
  readonly table: NftTable;
  /** The family of the table, which is also the name of the header: `ip` or `ip6`. */
  readonly ip: "ip" | "ip6";
  readonly addressType: "ipv4_addr" | "ipv6_addr";
}

export function wordsOf(family: Family, name: string): Words {
  return family === "IPv4"
    ? { table: { family: "ip", name }, ip: "ip", addressType: "ipv4_addr" }
    : { table: { family: "ip6", name }, ip: "ip6", addressType: "ipv6_addr" };
}

/**
 * The kinds of frontends: services are looked up by address, protocol and port; node ports by protocol
 * and port alone.
 */
export const places = ["service", "node-port"] as const;

export type Place = (typeof places)[number];

/** The spelling of one kind of frontend: its keys, and the names of its maps. */
export interface PlaceWords {
  /** The key by which a packet is looked up. */
  readonly key: string;
  /** The key of the first packet of a flow, before it was translated. */
  readonly originalKey: string;
  readonly keyType: string;
  /** The name of the map from keys to verdicts. */
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

// Resource records.

import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { types } from "./codes.ts";
import type { Name } from "./name.ts";

export interface DnsRecord {
  readonly name: Name;
  /** The TTL in seconds. */
  readonly ttl: number;
  readonly data: RecordData;
}

export type RecordData =
  | { readonly kind: "address"; readonly address: Address }
  | { readonly kind: "alias" | "pointer" | "nameServer"; readonly target: Name }
  | {
      readonly kind: "service";
      readonly port: number;
      readonly weight: number;
      readonly target: Name;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "authority"; readonly authority: Authority }
  | { readonly kind: "opaque"; readonly type: number; readonly bytes: Uint8Array };

/** The SOA data of a zone. */
export interface Authority {
  readonly server: Name;
  readonly mailbox: Name;
  readonly serial: number;
  /** The TTL of negative answers, in seconds. */
  readonly negativeTtl: number;
}

export const addressType: Readonly<Record<Family, number>> = { IPv4: types.A, IPv6: types.AAAA };

export function typeOf(data: RecordData): number {
  switch (data.kind) {
    case "address":
      return addressType[data.address.family];
    case "opaque":
      return data.type;
    default:
      return typeOfKind[data.kind];
  }
}

const typeOfKind = {
  alias: types.CNAME,
  pointer: types.PTR,
  nameServer: types.NS,
  service: types.SRV,
  text: types.TXT,
  authority: types.SOA,
} as const;

/** The identity of a record: equal for equal records. */
export function recordKey({ name, ttl, data }: DnsRecord): string {
  return `${name} ${ttl} ${typeOf(data)} ${describe(data)}`;
}

function describe(data: RecordData): string {
  switch (data.kind) {
    case "address":
      return data.address.toString();
    case "service":
      return `${data.port} ${data.weight} ${data.target}`;
    case "text":
      return data.text;
    case "authority":
      return `${data.authority.serial}`;
    case "opaque":
      return Buffer.from(data.bytes).toString("latin1");
    default:
      return data.target;
  }
}

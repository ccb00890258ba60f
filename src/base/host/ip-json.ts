// Parses what `ip -json` prints.

import { defined } from "../json/defined.ts";
import { Address } from "../net/address.ts";
import { bitsOf, type Family } from "../net/family.ts";
import { Prefix } from "../net/prefix.ts";
import type { Link, LinkAddress, Neighbour, NextHop, Route } from "./ip.ts";

interface RawLink {
  readonly ifindex: number;
  readonly ifname: string;
  readonly flags: readonly string[];
  readonly mtu: number;
  readonly address?: string;
  readonly master?: string;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly addr_info?: readonly RawAddress[];
}

interface RawAddress {
  readonly local?: string;
  readonly prefixlen: number;
  readonly scope: string;
  readonly tentative?: boolean;
  readonly dadfailed?: boolean;
  /** The remaining preferred lifetime, in seconds. */
  readonly preferred_life_time?: number;
}

interface RawHop {
  readonly dev?: string;
  readonly gateway?: string;
  /** The gateway when it is of the other family. */
  readonly via?: { readonly host: string };
}

interface RawRoute extends RawHop {
  readonly type?: string;
  readonly dst: string;
  readonly prefsrc?: string;
  readonly protocol?: string;
  readonly metric?: number;
  readonly nexthops?: readonly RawHop[];
}

interface RawNeighbour {
  readonly dst: string;
  readonly dev: string;
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

export function readLinks(json: string): readonly Link[] {
  return (list(json) as readonly RawLink[]).map((raw) => ({
    index: raw.ifindex,
    name: raw.ifname,
    ...defined({ kind: raw.linkinfo?.info_kind }),
    mtu: raw.mtu,
    ...defined({ mac: raw.address }),
    up: raw.flags.includes("UP"),
    running: raw.flags.includes("LOWER_UP"),
    ...defined({ master: raw.master }),
  }));
}

export function readAddresses(json: string): readonly LinkAddress[] {
  return (list(json) as readonly RawLink[]).flatMap(({ ifname, addr_info = [] }) =>
    addr_info.flatMap(
      ({ local, prefixlen, scope, tentative = false, dadfailed = false, ...rest }) => {
        if (local === undefined) return [];
        const address = Address.parse(local);
        const prefix = Prefix.parse(`${local}/${prefixlen}`);
        const deprecated = rest.preferred_life_time === 0 && { deprecated: true };
        return [
          { link: ifname, address, prefix, scope, tentative, duplicate: dadfailed, ...deprecated },
        ];
      },
    ),
  );
}

export function readRoutes(json: string, family: Family): readonly Route[] {
  return (list(json) as readonly RawRoute[]).map((raw) => ({
    type: raw.type ?? "unicast",
    destination: readDestination(raw.dst, family),
    nextHops: (raw.nexthops ?? [raw]).flatMap(readHop),
    ...defined({
      source: parsed(raw.prefsrc),
      protocol: raw.protocol,
      metric: raw.metric,
    }),
  }));
}

export function readNeighbours(json: string): readonly Neighbour[] {
  return (list(json) as readonly RawNeighbour[]).map((raw) => ({
    link: raw.dev,
    address: Address.parse(raw.dst),
    ...defined({ mac: raw.lladdr }),
    state: raw.state?.[0] ?? "NONE",
  }));
}

function readDestination(text: string, family: Family): Prefix {
  if (text === "default") return Prefix.parse(family === "IPv4" ? "0.0.0.0/0" : "::/0");
  return Prefix.parse(text.includes("/") ? text : `${text}/${bitsOf(family)}`);
}

function readHop({ dev, gateway, via }: RawHop): readonly NextHop[] {
  if (dev === undefined) return [];
  return [{ link: dev, ...defined({ gateway: parsed(gateway ?? via?.host) }) }];
}

function parsed(text: string | undefined): Address | undefined {
  return text === undefined ? undefined : Address.parse(text);
}

/** Parses a list; ip sometimes prints nothing at all instead of an empty one. */
function list(json: string): unknown {
  return json.trim() === "" ? [] : JSON.parse(json);
}

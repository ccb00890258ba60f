// Who announces which address of load balancers and VIPs, since when, and how it moved.

import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { Lamp } from "./lamps.ts";

/** Where an address is. */
export interface Placement {
  readonly address: string;
  /** What the address is for: "service shop/web", "API", "ingress". */
  readonly use: string;
  /** The node that has it; undefined if none does. */
  readonly node: string | undefined;
  /** Since when, if its node says so. */
  readonly since?: string;
}

export interface Move {
  /** When the move was seen. */
  readonly at: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface Announcement extends Placement {
  /** The address. */
  readonly name: string;
  /** When the server began to look: earlier moves are not known. */
  readonly watchedSince: string;
  readonly moves: readonly Move[];
}

/** The most moves that are remembered of an address. */
const mostMoves = 50;

/** Returns the announcement after what was seen now; the same value if nothing has changed. */
export function announcementAfter(
  before: Announcement | undefined,
  seen: Placement,
  at: string,
): Announcement {
  if (before === undefined) {
    return { ...seen, name: seen.address, watchedSince: at, moves: [] };
  }
  const isSame =
    before.node === seen.node && before.use === seen.use && before.since === seen.since;
  if (isSame) return before;
  const { name, watchedSince } = before;
  const moves =
    before.node === seen.node
      ? before.moves
      : [...before.moves, { at, from: before.node, to: seen.node }];
  return { ...seen, name, watchedSince, moves: moves.slice(-mostMoves) };
}

export function lampOfAnnouncement({ node }: Placement): Lamp {
  return node === undefined
    ? { state: "bad", why: "no node has it" }
    : { state: "ok", why: `on ${node}` };
}

/** Since when an address is where it is, as far as is known. */
export function sinceText(
  { since, moves, watchedSince }: Announcement,
  timeText: (at: string) => string,
): string {
  const last = since ?? moves.at(-1)?.at;
  return last === undefined ? `before ${timeText(watchedSince)}` : `since ${timeText(last)}`;
}

export interface AnnouncementRow {
  readonly use: string;
  readonly addresses: Readonly<Record<Family, readonly Announcement[]>>;
}

/** The addresses of one use are one row, with both families beside each other. */
export function announcementRows(all: readonly Announcement[]): readonly AnnouncementRow[] {
  const byUse = Map.groupBy(all, ({ use }) => use);
  return [...byUse]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([use, members]) => {
      const of = (family: Family) =>
        members.filter(({ address }) => Address.tryParse(address)?.family === family);
      return { use, addresses: { IPv4: of("IPv4"), IPv6: of("IPv6") } };
    });
}

export interface TimelineEntry extends Move {
  readonly address: string;
  readonly use: string;
}

/** All moves, the newest first. */
export function timelineOf(all: readonly Announcement[]): readonly TimelineEntry[] {
  return all
    .flatMap(({ moves, address, use }) => moves.map((move) => ({ ...move, address, use })))
    .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : familyRank(a) - familyRank(b)));
}

function familyRank({ address }: { readonly address: string }): number {
  const family = Address.tryParse(address)?.family;
  return family === undefined ? families.length : families.indexOf(family);
}

// Follows who announces which address, from the leases of announcers and what nodes say of VIPs.

import { isForbidden } from "../../../api/client/errors.ts";
import { Informer, type InformerSettings } from "../../../api/client/informer.ts";
import type { Lease } from "../../../api/types/coordination.ts";
import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { pause } from "../../../base/host/clock.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { type Announcement, announcementAfter } from "../model/announcements.ts";
import type { FollowedKind } from "./followed-kind.ts";
import type { Placing, User } from "./ports.ts";
import { ToldKind } from "./told-kind.ts";

/** An announcer that dies causes no event, so that leases are looked at this often. */
const lookMs = 500;

/** Where the leases of announcers are. */
export const announcerSelection = {
  namespace: "kube-node-lease",
  labelSelector: "tandem.internal/announcer",
} as const;

export interface AnnouncementParts extends InformerSettings {
  readonly user: User;
  readonly placing: Placing;
  /** The kinds that are followed anyway, by name. */
  readonly followed: ReadonlyMap<string, FollowedKind>;
}

/** An announcer that is silent, by the name of its node. */
export interface SilentAnnouncer {
  readonly name: string;
}

/** Returns two kinds to be told of: announced addresses, and announcers that are silent. */
export function announcementsOf(
  parts: AnnouncementParts,
): readonly [ToldKind<Announcement>, ToldKind<SilentAnnouncer>] {
  const { user, clock } = parts;
  // While leases cannot be read, nobody can be told to be silent.
  let isReading = false;
  const leases = new Informer<Lease>(
    user.client.resource("coordination.k8s.io/v1", "Lease"),
    {
      ...announcerSelection,
      onTry: (failure) => {
        isReading = failure === undefined;
        if (failure === undefined) kind.setState("current");
        else kind.setState(isForbidden(failure) ? "refused" : "failing", messageOf(failure));
      },
    },
    parts,
  );
  const look = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      if (leases.isSynced && isReading) update({ kind, silent }, leases.list(), parts);
      await pause(clock, lookMs, signal);
    }
  };
  const kind = new ToldKind<Announcement>("announcements", async (signal) => {
    await Promise.all([leases.run(signal), look(signal)]);
  });
  const silent = new ToldKind<SilentAnnouncer>("silentAnnouncers");
  return [kind, silent];
}

interface Kinds {
  readonly kind: ToldKind<Announcement>;
  readonly silent: ToldKind<SilentAnnouncer>;
}

function update(
  { kind, silent }: Kinds,
  leases: readonly Lease[],
  { followed, placing, clock }: AnnouncementParts,
): void {
  const list = (name: string): readonly unknown[] => followed.get(name)?.list() ?? [];
  const placed = placing({
    leases,
    services: list("services") as readonly Service[],
    slices: list("slices") as readonly EndpointSlice[],
    nodes: list("nodes") as readonly Node[],
  });
  const at = new Date(clock.now()).toISOString();
  for (const seen of placed.placements) {
    const before = kind.get(seen.address);
    const after = announcementAfter(before, seen, at);
    if (after !== before) kind.put(after);
  }
  keepOnly(kind, new Set(placed.placements.map(({ address }) => address)));
  for (const name of placed.silent) if (silent.get(name) === undefined) silent.put({ name });
  keepOnly(silent, new Set(placed.silent));
}

function keepOnly(kind: ToldKind<{ readonly name: string }>, names: ReadonlySet<string>): void {
  for (const { name } of kind.list()) if (!names.has(name)) kind.remove(name);
}

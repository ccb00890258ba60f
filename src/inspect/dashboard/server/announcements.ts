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

export interface AnnouncementParts extends InformerSettings {
  readonly user: User;
  readonly placing: Placing;
  /** The kinds that are followed anyway, by name. */
  readonly followed: ReadonlyMap<string, FollowedKind>;
}

export function announcementsOf(parts: AnnouncementParts): ToldKind<Announcement> {
  const { user, clock } = parts;
  const leases = new Informer<Lease>(
    user.client.resource("coordination.k8s.io/v1", "Lease"),
    {
      namespace: "kube-node-lease",
      labelSelector: "tandem.internal/announcer",
      onTry: (failure) => {
        if (failure === undefined) kind.setState("current");
        else kind.setState(isForbidden(failure) ? "refused" : "failing", messageOf(failure));
      },
    },
    parts,
  );
  const look = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      if (leases.isSynced) update(kind, leases.list(), parts);
      await pause(clock, lookMs, signal);
    }
  };
  const kind = new ToldKind<Announcement>("announcements", async (signal) => {
    await Promise.all([leases.run(signal), look(signal)]);
  });
  return kind;
}

function update(
  kind: ToldKind<Announcement>,
  leases: readonly Lease[],
  { followed, placing, clock }: AnnouncementParts,
): void {
  const list = (name: string): readonly unknown[] => followed.get(name)?.list() ?? [];
  const placements = placing({
    leases,
    services: list("services") as readonly Service[],
    slices: list("slices") as readonly EndpointSlice[],
    nodes: list("nodes") as readonly Node[],
  });
  const at = new Date(clock.now()).toISOString();
  for (const seen of placements) {
    const before = kind.get(seen.address);
    const after = announcementAfter(before, seen, at);
    if (after !== before) kind.put(after);
  }
  const left = new Set(placements.map(({ address }) => address));
  for (const { name } of kind.list()) {
    if (!left.has(name)) kind.remove(name);
  }
}

import type { Reservation, View } from "../datastore/port.ts";
import { attachmentOf, type Call } from "./call.ts";
import { presentPools } from "./pools.ts";

/** DEL: releases all reservations of a container's interface; there may be none. */
export async function release(call: Call): Promise<void> {
  const holder = attachmentOf(call);
  const ranges = await presentPools(call);
  const { stickySeconds } = call.configuration;
  await call.datastore.transact({ pools: ranges.map(({ pool }) => pool), holder }, (view) => {
    for (const reservation of view.held) {
      if (reservation.containerId !== holder.containerId) continue;
      if (stickySeconds > 0) keep(view, reservation, call.now() + stickySeconds * 1000);
      else view.remove(reservation);
    }
  });
}

function keep(view: View, reservation: Reservation, keptUntil: number): void {
  const { netns: _gone, ...rest } = reservation;
  view.put({ ...rest, containerId: "", keptUntil });
}

import { defined } from "../../../base/json/defined.ts";
import { type Choice, choose, isRefusal, type PooledRange, type Refusal } from "../allocator.ts";
import type { Holder, Reservation, View } from "../datastore/port.ts";
import { IpamError } from "../errors.ts";
import type { Assigned, Assignment } from "../result.ts";
import { type Call, holderOf } from "./call.ts";
import { pooledRanges } from "./pools.ts";
import { readWishes } from "./wishes.ts";

/** ADD: reserves one address of every range for a pod's interface; a repeated call gets the same ones. */
export async function add(call: Call): Promise<Assigned> {
  const { configuration, environment, datastore, node } = call;
  const holder = holderOf(call);
  const ranges = await pooledRanges(call, { claim: true });
  const wishes = readWishes(configuration, environment.args);
  const outcome = await datastore.transact(
    { pools: ranges.map(({ pool }) => pool), holder },
    (view) =>
      reserve(view, {
        holder,
        ranges,
        requested: wishes.requested,
        about: {
          networkConfiguration: configuration.name,
          node,
          ...defined({ netns: environment.netns }),
        },
      }),
  );
  if (isRefusal(outcome)) throw new IpamError(outcome.reason, outcome.message);
  return {
    assignments: [...outcome.map(toAssignment), ...wishes.fixed],
    routes: configuration.routes,
    ...defined({ dns: configuration.dns }),
  };
}

interface Request {
  readonly holder: Required<Holder>;
  readonly ranges: readonly PooledRange[];
  readonly requested: Parameters<typeof choose>[1]["requested"];
  readonly about: Pick<Reservation, "networkConfiguration" | "node" | "netns">;
}

function reserve(view: View, request: Request): readonly Choice[] | Refusal {
  const { holder, ranges, requested, about } = request;
  const own = view.held.filter(
    ({ owner, pool }) =>
      owner === holder.owner && ranges.some((range) => range.pool.name === pool.name),
  );
  const known = {
    held: own,
    taken: view.taken.bind(view),
    kept: view.kept.bind(view),
  };
  // An old whereabouts entry without an interface may be another interface's: it is never removed.
  const ofInterface = own.filter(({ ifname }) => ifname === holder.ifname);
  const choices = choose(known, { ranges, requested });
  if (isRefusal(choices)) {
    // The reservations of this container are left from an earlier attempt that was killed.
    for (const reservation of ofInterface) {
      if (reservation.containerId === holder.containerId) view.remove(reservation);
    }
    return choices;
  }
  const isChosen = (reservation: Reservation) =>
    choices.some(
      ({ range, address }) =>
        range.pool.name === reservation.pool.name && address.equals(reservation.address),
    );
  for (const reservation of ofInterface) if (!isChosen(reservation)) view.remove(reservation);
  for (const { range, address, reclaimed } of choices) {
    if (reclaimed !== undefined) view.remove(reclaimed);
    view.put({ ...holder, ...about, pool: range.pool, address });
  }
  return choices;
}

function toAssignment({ range, address }: Choice): Assignment {
  return {
    address,
    length: range.prefix.length,
    ...defined({ gateway: range.gateway }),
  };
}

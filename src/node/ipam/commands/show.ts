import { defined } from "../../../base/json/defined.ts";
import { formatTable } from "../../../base/program/table.ts";
import { usableAddresses } from "../config/range.ts";
import { type IpPool, poolFrom, reservationsOf } from "../datastore/kubernetes/pool-object.ts";
import type { Datastore, Pool, Reservation } from "../datastore/port.ts";

export interface PoolUse {
  readonly pool: Pool;
  /**
   * The number of addresses that can be handed out; every host address of the range where that is not
   * recorded.
   */
  readonly size: bigint;
  readonly held: number;
  /** The number of released addresses that are kept for their pods to come back. */
  readonly kept: number;
}

export interface Overview {
  readonly pools: readonly PoolUse[];
  readonly reservations: readonly Reservation[];
}

/** Returns how much of one pool is in use, from its object in the API; its range must be one. */
export function poolUseOf(object: IpPool): PoolUse & Pick<Overview, "reservations"> {
  const pool = poolFrom(object);
  const reservations = reservationsOf(object, pool);
  return { ...useOf(pool, reservations), reservations };
}

/** Returns the reservations of all pools, or of those that a range or a name selects. */
export async function overview(datastore: Datastore, only?: string): Promise<Overview> {
  const all = await datastore.reservations();
  const reservations = all.filter(
    ({ pool }) => only === undefined || only === pool.name || only === pool.range.toString(),
  );
  const byPool = Map.groupBy(reservations, ({ pool }) => pool.name);
  const pools = [...byPool.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const pool = own.find(({ pool: { capacity } }) => capacity !== undefined)?.pool ?? first.pool;
    return useOf(pool, own);
  });
  return { pools, reservations };
}

function useOf(pool: Pool, own: readonly Reservation[]): PoolUse {
  const kept = own.filter(({ keptUntil }) => keptUntil !== undefined).length;
  const size = pool.capacity ?? usableAddresses(pool.range).size;
  return { pool, size, held: own.length - kept, kept };
}

/** Formats an overview for people: a bar for each range, and who holds which address. */
export function formatOverview({ pools, reservations }: Overview): string {
  if (pools.length === 0) return "Nothing is reserved.\n";
  const use = formatTable(
    [
      { header: "pool", value: ({ pool }: PoolUse) => pool.name },
      { header: "range", value: ({ pool }: PoolUse) => pool.range.toString() },
      { header: "held", value: ({ held }: PoolUse) => held },
      { header: "kept", value: ({ kept }: PoolUse) => kept },
      { header: "of", value: ({ size }: PoolUse) => shownSize(size) },
      { header: "use", value: (one: PoolUse) => bar(one) },
    ],
    pools,
  );
  const holders = formatTable(
    [
      { header: "address", value: ({ address }: Reservation) => address.toString() },
      { header: "owner", value: ({ owner }: Reservation) => owner },
      { header: "interface", value: ({ ifname }: Reservation) => ifname },
      { header: "container", value: ({ containerId }: Reservation) => containerId.slice(0, 13) },
      { header: "node", value: ({ node, pool }: Reservation) => node ?? pool.node },
      { header: "state", value: stateOf },
    ],
    reservations,
  );
  return `${use}\n${holders}`;
}

/** Returns an overview as JSON, for programs. */
export function describeOverview({ pools, reservations }: Overview): object {
  return {
    pools: pools.map(({ pool, size, held, kept }) => ({
      ...shownPool(pool),
      size: size.toString(),
      held,
      kept,
    })),
    reservations: reservations.map(({ pool, address, keptUntil, ...rest }) => ({
      address: address.toString(),
      pool: pool.name,
      ...rest,
      ...(keptUntil === undefined ? {} : { keptUntil: new Date(keptUntil).toISOString() }),
    })),
  };
}

const barWidth = 20;

/** Draws the use of a pool; any use shows, however large the range. */
function bar({ size, held, kept }: PoolUse): string {
  // The number of held addresses may exceed the number that can be handed out by now.
  const all = size > BigInt(held + kept) ? size : BigInt(held + kept);
  const cells = (count: number) =>
    count === 0
      ? 0
      : Math.max(1, Math.min(barWidth, Number((BigInt(count * barWidth) + all / 2n) / all)));
  const full = cells(held);
  const dotted = Math.min(cells(kept), barWidth - full);
  const share = Number((BigInt(held + kept) * 10_000n) / all) / 100;
  const percent = share === 0 ? "<0.01" : share.toString();
  return `[${"#".repeat(full)}${"-".repeat(dotted)}${" ".repeat(barWidth - full - dotted)}] ${percent}%`;
}

function shownSize(size: bigint): string {
  return size < 1_000_000n ? size.toString() : `2^${(size + 1n).toString(2).length - 1}`;
}

function shownPool({ name, range, network, node }: Pool): object {
  return { name, range: range.toString(), network, ...defined({ node }) };
}

function stateOf({ keptUntil, netns }: Reservation): string {
  if (keptUntil !== undefined) return `kept until ${new Date(keptUntil).toISOString()}`;
  return netns === undefined ? "held" : `held in ${netns}`;
}

import { Prefix } from "../../../base/net/prefix.ts";
import { AddressRange } from "../../../base/net/range.ts";
import { capacity, type PooledRange } from "../allocator.ts";
import type { PoolRange } from "../config/range.ts";
import { poolName, rangeName, type Slice, type SliceTable } from "../datastore/port.ts";
import { IpamError } from "../errors.ts";
import { chooseSlice, windowOf } from "../slices.ts";
import type { Call } from "./call.ts";

/** Returns the pools that this node has; ranges of which it has no slice are left out. */
export async function presentPools(call: Call): Promise<PooledRange[]> {
  const pooled = await Promise.all(
    call.configuration.ranges.map(async (range, index) => {
      const { sliceLength } = range;
      if (sliceLength === undefined) return pooledRange(call, range);
      const slices = await call.datastore.slices(tableOf(call, { ...range, sliceLength }, index));
      const own = slices.find(
        ({ node, prefix }) => node === call.node && range.prefix.contains(prefix),
      );
      return own && pooledRange(call, range, own);
    }),
  );
  return pooled.filter((one) => one !== undefined);
}

/** Returns the pools of all ranges; a slice that this node lacks is claimed, or only chosen. */
export async function pooledRanges(
  call: Call,
  { claim }: { readonly claim: boolean },
): Promise<PooledRange[]> {
  return Promise.all(
    call.configuration.ranges.map(async (range, index) => {
      const { sliceLength } = range;
      if (sliceLength === undefined) return withinReach(call, pooledRange(call, range));
      const sliced = { ...range, sliceLength };
      const table = tableOf(call, sliced, index);
      let taken = 0;
      const choose = (slices: readonly Slice[]) => {
        taken = slices.length;
        return chooseSlice(sliced, call.node, slices);
      };
      const slice = claim
        ? await call.datastore.claimSlice(table, choose)
        : choose(await call.datastore.slices(table));
      if (slice === undefined || windowOf(range, slice) === undefined) {
        throw noSlice(call, table, taken);
      }
      return withinReach(call, pooledRange(call, range, slice));
    }),
  );
}

function pooledRange({ configuration }: Call, range: PoolRange, slice?: Slice): PooledRange {
  const { networkName: network, uniqueAcrossPools: guarded } = configuration;
  if (slice === undefined) {
    const name = poolName({ network, range: range.prefix });
    return counted({ ...range, pool: { name, range: range.prefix, network, guarded } });
  }
  const { node, prefix } = slice;
  return counted({
    ...range,
    window: windowOf(range, slice) ?? prefix.toRange(),
    pool: {
      name: poolName({ network, node, range: prefix }),
      range: prefix,
      network,
      guarded,
      node,
    },
  });
}

function counted(range: PooledRange): PooledRange {
  return { ...range, pool: { ...range.pool, capacity: capacity(range) } };
}

/**
 * Limits a range to the offsets that whereabouts can read in a shared pool: it cannot parse an offset of
 * 2^63 or more and drops that entry with its next write, so that the address would be given twice.
 */
function withinReach({ configuration }: Call, range: PooledRange): PooledRange {
  if (configuration.datastore.type !== "kubernetes") return range;
  const { first, last } = range.pool.range;
  if (last.value - first.value < reach) return range;
  const window = range.window.intersect(AddressRange.of(first, first.plus(reach - 1n)));
  if (window !== undefined) return counted({ ...range, window });
  throw new IpamError(
    "invalidConfiguration",
    `Cannot hand out ${range.window.toString()} of ${range.prefix.toString()}: pools in the API keep the first 2^63 addresses of a range; write a range that begins nearer, such as ${Prefix.of(range.window.first, nearLength).toString()}`,
  );
}

const reach = 2n ** 63n;
/** The prefix length of 2^63 IPv6 addresses. */
const nearLength = 65;

/** Returns the slice table of a range; that of the first range has the name that whereabouts uses. */
function tableOf(
  { configuration }: Call,
  { prefix, sliceLength }: PoolRange & { readonly sliceLength: number },
  index: number,
): SliceTable {
  const base = configuration.networkName || configuration.name;
  const name = index === 0 ? base : `${base}-${rangeName(prefix)}`;
  return { name, range: prefix, length: sliceLength };
}

function noSlice({ node }: Call, { range, length }: SliceTable, taken: number): IpamError {
  const excluded = 2n ** BigInt(length - range.length) - BigInt(taken);
  const rest = excluded > 0n ? `, ${excluded} excluded` : "";
  return new IpamError(
    "exhausted",
    `Cannot give node ${node} a /${length} of ${range.toString()}: ${taken} are taken by nodes${rest}`,
  );
}

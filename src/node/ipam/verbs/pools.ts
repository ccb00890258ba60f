import type { PooledRange } from "../allocator.ts";
import type { PoolRange } from "../config/range.ts";
import { poolName, rangeName, type Slice, type SliceTable } from "../datastore/port.ts";
import { IpamError } from "../errors.ts";
import { chooseSlice, windowOf } from "../slices.ts";
import type { Call } from "./call.ts";

/** The pools this node has by now; a range that it has no slice of is left out. */
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

/** All ranges; slices that this node lacks are claimed, or only looked for. */
export async function pooledRanges(
  call: Call,
  { claim }: { readonly claim: boolean },
): Promise<PooledRange[]> {
  return Promise.all(
    call.configuration.ranges.map(async (range, index) => {
      const { sliceLength } = range;
      if (sliceLength === undefined) return pooledRange(call, range);
      const sliced = { ...range, sliceLength };
      const table = tableOf(call, sliced, index);
      const choose = (taken: readonly Slice[]) => chooseSlice(sliced, call.node, taken);
      const slice = claim
        ? await call.datastore.claimSlice(table, choose)
        : choose(await call.datastore.slices(table));
      if (slice === undefined || windowOf(range, slice) === undefined) throw noSlice(call, table);
      return pooledRange(call, range, slice);
    }),
  );
}

function pooledRange({ configuration }: Call, range: PoolRange, slice?: Slice): PooledRange {
  const { networkName: network, uniqueAcrossPools: guarded } = configuration;
  if (slice === undefined) {
    const name = poolName({ network, range: range.prefix });
    return { ...range, pool: { name, range: range.prefix, network, guarded } };
  }
  const { node, prefix } = slice;
  return {
    ...range,
    window: windowOf(range, slice) ?? prefix.toRange(),
    pool: {
      name: poolName({ network, node, range: prefix }),
      range: prefix,
      network,
      guarded,
      node,
    },
  };
}

/** The first range's table has the name that existing ones have. */
function tableOf(
  { configuration }: Call,
  { prefix, sliceLength }: PoolRange & { readonly sliceLength: number },
  index: number,
): SliceTable {
  const base = configuration.networkName || configuration.name;
  const name = index === 0 ? base : `${base}-${rangeName(prefix)}`;
  return { name, range: prefix, length: sliceLength };
}

function noSlice({ node }: Call, { range, length }: SliceTable): IpamError {
  return new IpamError(
    "exhausted",
    `Cannot give node ${node} a /${length} of ${range.toString()}: every one is taken or excluded`,
  );
}

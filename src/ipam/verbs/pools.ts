import type { PooledRange } from "../allocator.ts";
import { poolName } from "../datastore/port.ts";
import type { Call } from "./call.ts";

/** The ranges of a configuration with the pools they are handed out of. */
export async function pooledRanges({ configuration }: Call): Promise<PooledRange[]> {
  const { networkName: network, uniqueAcrossPools: guarded } = configuration;
  return configuration.ranges.map((range) => ({
    ...range,
    pool: {
      name: poolName({ network, range: range.prefix }),
      range: range.prefix,
      network,
      guarded,
    },
  }));
}

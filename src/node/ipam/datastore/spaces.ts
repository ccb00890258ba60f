import type { Family } from "../../../base/net/family.ts";
import type { Pool } from "./port.ts";

/**
 * A space: addresses of one family, none of which is handed out twice. It is one pool, or a network's
 * guarded pools.
 */
export interface Space {
  readonly name: string;
  readonly family: Family;
}

/** Returns the spaces of a pool: its own, and that of its network if the pool is guarded. */
export function spacesOf(pool: Pool): Space[] {
  const guard = guardOf(pool);
  const own = ownSpace(pool);
  return guard === undefined ? [own] : [own, guard];
}

export function ownSpace({ name, range: { family } }: Pool): Space {
  return { name: `pool ${name}`, family };
}

export function guardOf({ guarded, network, range: { family } }: Pool): Space | undefined {
  return guarded ? { name: `network ${family} ${network}`, family } : undefined;
}

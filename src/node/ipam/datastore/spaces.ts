import type { Family } from "../../../base/net/family.ts";
import type { Pool } from "./port.ts";

/** Addresses of one family among which none is handed out twice: a pool, or a network's pools. */
export interface Space {
  readonly name: string;
  readonly family: Family;
}

/** The pool itself, and the network it shares no address with if it is guarded. */
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

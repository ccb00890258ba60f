import type { Address } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { Prefix } from "../net/prefix.ts";
import type { CallOptions } from "./command.ts";

export interface Link {
  readonly index: number;
  readonly name: string;
  /** Like "veth" or "bridge"; absent for hardware and loopback. */
  readonly kind?: string;
  readonly mtu: number;
  readonly mac?: string;
  readonly up: boolean;
  /** Whether the other end is there, too. */
  readonly running: boolean;
  /** The bridge it is a port of. */
  readonly master?: string;
}

export interface LinkAddress {
  readonly link: string;
  readonly address: Address;
  /** The network it is in, by its prefix length. */
  readonly prefix: Prefix;
  readonly scope: string;
  /** Not usable yet: duplicate address detection is under way. */
  readonly tentative: boolean;
  /** Not usable: somebody else has it. */
  readonly duplicate: boolean;
  /** Not for connections of this machine's own. */
  readonly deprecated?: boolean;
}

export interface NextHop {
  readonly link?: string;
  readonly gateway?: Address;
}

export interface Route {
  /** "unicast", "unreachable", "blackhole", "local", … */
  readonly type: string;
  readonly destination: Prefix;
  /** Several for a multipath route, none for one that leads nowhere. */
  readonly nextHops: readonly NextHop[];
  /** The address packets get as their source. */
  readonly source?: Address;
  readonly protocol?: string;
  readonly metric?: number;
}

export interface Neighbour {
  readonly link: string;
  readonly address: Address;
  readonly mac?: string;
  /** Like "REACHABLE", "STALE", "PERMANENT". */
  readonly state: string;
}

export interface RouteOptions extends CallOptions {
  /** Number or name; "main" when not given. */
  readonly table?: string;
}

/** Links, addresses, routes and neighbours, by ip(8). */
export interface Ip {
  /**
   * Carries out lines such as `link set eth0 up`, in order, in one process. Stops at the first that
   * fails and names it; those before it stay done.
   */
  batch(lines: readonly string[], options?: CallOptions): Promise<void>;
  links(options?: CallOptions): Promise<readonly Link[]>;
  addresses(family: Family, options?: CallOptions): Promise<readonly LinkAddress[]>;
  routes(family: Family, options?: RouteOptions): Promise<readonly Route[]>;
  /** Which address packets from here to there have as their source; none when no way leads there. */
  sourceTo(address: Address, options?: CallOptions): Promise<Address | undefined>;
  neighbours(family: Family, options?: CallOptions): Promise<readonly Neighbour[]>;
}

import type { Address } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { Prefix } from "../net/prefix.ts";
import type { CallOptions } from "./command.ts";

export interface Link {
  readonly index: number;
  readonly name: string;
  /** The kind, like "veth" or "bridge"; absent for hardware and loopback. */
  readonly kind?: string;
  readonly mtu: number;
  readonly mac?: string;
  readonly up: boolean;
  /** Whether the link has a carrier: the other end is up, too. */
  readonly running: boolean;
  /** The bridge that the link is a port of. */
  readonly master?: string;
}

export interface LinkAddress {
  readonly link: string;
  readonly address: Address;
  /** The network of the address, by its prefix length. */
  readonly prefix: Prefix;
  readonly scope: string;
  /** Whether duplicate address detection is under way: the address is not usable yet. */
  readonly tentative: boolean;
  /** Whether duplicate address detection has failed: another machine has the address. */
  readonly duplicate: boolean;
  /** Whether the address is deprecated: not chosen as the source of new connections. */
  readonly deprecated?: boolean;
}

export interface NextHop {
  readonly link?: string;
  readonly gateway?: Address;
}

export interface Route {
  /** The type: "unicast", "unreachable", "blackhole", "local", … */
  readonly type: string;
  readonly destination: Prefix;
  /** The next hops: several for a multipath route, none for one that leads nowhere. */
  readonly nextHops: readonly NextHop[];
  /** The preferred source address of packets. */
  readonly source?: Address;
  readonly protocol?: string;
  readonly metric?: number;
}

export interface Neighbour {
  readonly link: string;
  readonly address: Address;
  readonly mac?: string;
  /** The state, like "REACHABLE", "STALE", "PERMANENT". */
  readonly state: string;
}

export interface RouteOptions extends CallOptions {
  /** The routing table's number or name; "main" when not given. */
  readonly table?: string;
}

/** Links, addresses, routes and neighbours, by ip(8). */
export interface Ip {
  /**
   * Executes lines such as `link set eth0 up`, in order, in one process. Stops at the first that fails and
   * names it; the lines before it stay done.
   */
  batch(lines: readonly string[], options?: CallOptions): Promise<void>;
  links(options?: CallOptions): Promise<readonly Link[]>;
  addresses(family: Family, options?: CallOptions): Promise<readonly LinkAddress[]>;
  routes(family: Family, options?: RouteOptions): Promise<readonly Route[]>;
  /** The source address of packets from here to an address; none when there is no route. */
  sourceTo(address: Address, options?: CallOptions): Promise<Address | undefined>;
  neighbours(family: Family, options?: CallOptions): Promise<readonly Neighbour[]>;
}

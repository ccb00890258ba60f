// What is known of a machine before it gets a role, or loses it.

import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";

export interface UnitState {
  readonly isEnabled: boolean;
  readonly isActive: boolean;
}

export interface MachineFacts {
  /** The name that its node gets unless another one is given. */
  readonly hostname: string;
  readonly isRoot: boolean;
  /** Whether systemd runs this machine. */
  readonly hasSystemd: boolean;
  /** The machine's own addresses, one per family, and the networks they are in. */
  readonly addresses: readonly Address[];
  readonly networks: readonly Prefix[];
  /** TCP ports on which something listens, with the name of the program where it is known. */
  readonly listeners: ReadonlyMap<number, string>;
  /** Unit → its state; units that are not installed are missing. */
  readonly units: ReadonlyMap<string, UnitState>;
  /** Path → content of the configuration files there are. */
  readonly configuration: ReadonlyMap<string, string>;
  /** Programs that nodes need and that cannot be found, with the Debian package of each. */
  readonly missing: ReadonlyMap<string, string>;
}

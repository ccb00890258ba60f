import type { CallOptions } from "../../base/host/command.ts";
import type { Family } from "../../base/net/family.ts";
import type { Frontend } from "./plan/frontend.ts";
import type { Delta } from "./plan/frontend-table.ts";

/** The rules of one family in the kernel. Calls must not overlap. */
export interface Proxier {
  readonly family: Family;
  /** How many rules, or elements of sets, services have in the kernel. */
  readonly size: number;
  /** Throws where the kernel, or a program, cannot do what is needed; changes nothing. */
  check(options?: CallOptions): Promise<void>;
  /** Makes the kernel's state this, whatever it was; a packet meets the one or the other. */
  replace(frontends: readonly Frontend[], options?: CallOptions): Promise<void>;
  /** Changes the state that was last reached. Once it has failed only `replace` helps. */
  apply(delta: Delta, options?: CallOptions): Promise<void>;
  /** Removes what `apply` has left unused; tells whether all of it could go. */
  sweep(options?: CallOptions): Promise<boolean>;
  /** A quick look at whether somebody has removed the rules. */
  isIntact(options?: CallOptions): Promise<boolean>;
  /** Takes all of it away, also what another run of the proxy has left. */
  remove(options?: CallOptions): Promise<void>;
}

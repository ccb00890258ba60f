import type { CallOptions } from "../../base/host/command.ts";
import type { Family } from "../../base/net/family.ts";
import type { Frontend } from "./plan/frontend.ts";
import type { Delta } from "./plan/frontend-table.ts";

/** The rules of one family in the kernel. Calls must not overlap. */
export interface Proxier {
  readonly family: Family;
  /** The number of rules, or elements of sets, that services have in the kernel. */
  readonly size: number;
  /** Throws where the kernel or a program lacks a feature that is needed. Changes nothing. */
  check(options?: CallOptions): Promise<void>;
  /** Replaces the rules in the kernel, whatever they were; a packet meets either the old rules or the new. */
  replace(frontends: readonly Frontend[], options?: CallOptions): Promise<void>;
  /** Changes the rules that the last call left. After a failure only `replace` may be called. */
  apply(delta: Delta, options?: CallOptions): Promise<void>;
  /** Removes objects that `apply` has left unused; false when some are still in use. */
  sweep(options?: CallOptions): Promise<boolean>;
  /** Checks quickly that nobody has removed the rules. */
  isIntact(options?: CallOptions): Promise<boolean>;
  /** Removes all rules of this proxy, also those of an earlier run. */
  remove(options?: CallOptions): Promise<void>;
}

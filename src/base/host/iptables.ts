import type { Family } from "../net/family.ts";
import type { CallOptions } from "./command.ts";

/** The rules of one family in the kernel's older packet filter, by iptables-restore(8). */
export interface Iptables {
  readonly family: Family;
  /**
   * Applies the text, each table as a whole or not at all. Chains it does not mention stay; a user-defined
   * chain that it declares (`:web - [0:0]`) starts empty, be it new or not.
   */
  restore(text: string, options?: CallOptions): Promise<void>;
  /** One table in the format of `restore`, without counts. Empty when the table has never been used. */
  save(table: string, options?: CallOptions): Promise<string>;
}

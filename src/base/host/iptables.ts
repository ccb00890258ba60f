import type { Family } from "../net/family.ts";
import type { CallOptions } from "./command.ts";

/** The older kind of packet rules, of one family, by iptables-restore(8). */
export interface Iptables {
  readonly family: Family;
  /**
   * Carries out the text, each table as a whole or not at all. What it does not mention stays; a chain
   * of its own that it declares (`:web - [0:0]`) starts empty, be it new or not.
   */
  restore(text: string, options?: CallOptions): Promise<void>;
  /** One table in the words of `restore`, without counts. Empty when nobody ever used it. */
  save(table: string, options?: CallOptions): Promise<string>;
}

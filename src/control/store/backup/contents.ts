import type { Entry, Revision } from "../port.ts";

/** An entry that does not expire by itself. */
export type KeptEntry = Entry;

/** All that a store holds at one revision. */
export interface Contents {
  readonly revision: Revision;
  /** The entries in key order. */
  entries(): AsyncIterable<KeptEntry>;
  close(): void;
}

// The messages by which the server tells a page of objects: one line of JSON each.

import type { ApiObject } from "../../../api/client/objects.ts";

/**
 * How far a kind is read. `refused`: the user may not read it. `absent`: the cluster does not serve it.
 * `failing`: what is there may be old.
 */
export type ReadState = "reading" | "current" | "refused" | "absent" | "failing";

export type Message =
  | {
      readonly type: "state";
      readonly kind: string;
      readonly state: ReadState;
      /** The server's own words, if it refused or failed. */
      readonly reason?: string;
    }
  | {
      readonly type: "change";
      readonly kind: string;
      readonly put: readonly ApiObject[];
      /** The keys of objects that are gone. */
      readonly removed: readonly string[];
    }
  /** A sign of life, so that a page knows that its connection stands. */
  | { readonly type: "alive" };

/** Whether objects of a kind in this state may be shown. */
export function isShown(state: ReadState): boolean {
  return state !== "refused" && state !== "absent";
}

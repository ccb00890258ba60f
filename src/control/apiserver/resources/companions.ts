// What is written together with an object.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Compare, Operation } from "../../store/store.ts";

/** What is written together with an object, in the same transaction. */
export interface Companions {
  readonly compare: readonly Compare[];
  readonly operations: readonly Operation[];
}

/**
 * Asked before every commit; may complete the new object. Another attempt follows when one of the
 * comparisons failed.
 */
export type CompanionsOf = (
  change: { readonly old?: ApiObject; readonly new?: ApiObject },
  attempt: number,
) => Companions | Promise<Companions>;

// Writes that accompany an object's own, such as the reservations of a service.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Compare, Operation } from "../../store/store.ts";

/** The comparisons and operations that are committed together with an object. */
export interface Companions {
  readonly compare: readonly Compare[];
  readonly operations: readonly Operation[];
}

/**
 * Plans the companions before every commit; may complete the new object. Another attempt follows when one of
 * the comparisons failed.
 */
export type CompanionsOf = (
  change: { readonly old?: ApiObject; readonly new?: ApiObject },
  attempt: number,
) => Companions | Promise<Companions>;

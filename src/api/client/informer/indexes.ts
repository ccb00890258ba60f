// The values objects are usually looked up by.

import type { Pod } from "../../types/core.ts";
import type { ApiObject } from "../objects.ts";
import type { Index } from "./object-cache.ts";

export const byNamespace: Index<ApiObject> = ({ metadata }) =>
  metadata.namespace === undefined ? [] : [metadata.namespace];

export const byNode: Index<Pod> = ({ spec }) =>
  spec.nodeName === undefined || spec.nodeName === "" ? [] : [spec.nodeName];

/** By the uids of the owners. */
export const byOwner: Index<ApiObject> = ({ metadata }) =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid);

/** Keep what it returns: an index is known by identity. */
export function byLabel(label: string): Index<ApiObject> {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };
}

// The usual indexes of objects.

import type { Pod } from "../../types/core.ts";
import type { ApiObject } from "../objects.ts";
import type { Index } from "./object-cache.ts";

export const byNamespace: Index<ApiObject> = ({ metadata }) =>
  metadata.namespace === undefined ? [] : [metadata.namespace];

export const byNode: Index<Pod> = ({ spec }) =>
  spec.nodeName === undefined || spec.nodeName === "" ? [] : [spec.nodeName];

/** The index by the UIDs of owners. */
export const byOwner: Index<ApiObject> = ({ metadata }) =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid);

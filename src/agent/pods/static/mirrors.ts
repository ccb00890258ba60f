// Keeps the pods of the API that stand for static ones.

import type { Pod } from "../../../api/types/core.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../../client/errors.ts";
import type { ResourceClient } from "../../../client/resource-client.ts";
import { mirroredUid, mirrorOf } from "./manifest.ts";

/** Makes it, or makes room for it; what comes of that is told by the API. */
export async function keepMirror(
  pods: ResourceClient<Pod>,
  pod: Pod,
  found: Pod | undefined,
): Promise<void> {
  const isFitting =
    found !== undefined &&
    mirroredUid(found) === pod.metadata.uid &&
    found.metadata.deletionTimestamp === undefined;
  if (isFitting) return;
  if (found !== undefined) await removeMirror(pods, found);
  try {
    await pods.create(mirrorOf(pod));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

export async function removeMirror(pods: ResourceClient<Pod>, { metadata }: Pod): Promise<void> {
  const { uid = "" } = metadata;
  try {
    await pods.delete(metadata, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

// Mirror pods: the objects in the API that represent static pods.

import { isAlreadyExists, isConflict, isNotFound } from "../../../api/client/errors.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Pod } from "../../../api/types/core.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/** Returns the uid of the static pod that a mirror pod represents; undefined for other pods. */
export function mirroredUid({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[mirrorAnnotation];
}

/** Creates the mirror pod of a static pod, after it has removed one that does not match. */
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

/** Returns the mirror pod of a static pod. */
function mirrorOf({ metadata, spec }: Pod): Pod {
  const { name, namespace, uid = "", labels = {}, annotations = {} } = metadata;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels, annotations: { ...annotations, [mirrorAnnotation]: uid } },
    // The toleration keeps the mirror pod in place whatever taints the node gets.
    spec: { ...spec, tolerations: [{ operator: "Exists", effect: "NoExecute" }] },
  };
}

// Keeps claims that pods use, and volumes that claims have: their objects are deleted when nobody does any more.

import { Controller } from "../../../api/client/controller.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import { isFinishedPod } from "../../../api/kinds/pod.ts";
import {
  claimProtection,
  claimsOf,
  isMadeFor,
  volumeProtection,
} from "../../../api/kinds/storage.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../api/types/core.ts";
import type { ControllerContext } from "../context.ts";

export function claimProtectionController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const claims = client.resource("v1", "PersistentVolumeClaim");
  const pods = client.resource("v1", "Pod");
  const informer = informers.of(claims);
  const podInformer = informers.of(pods, { indexes: [byNamespace] });
  return new Controller({
    ...context,
    sources: [
      informer,
      podInformer.mapped((pod) =>
        claimsOf(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`),
      ),
    ],
    async reconcile(key, signal) {
      const claim = informer.get(key);
      if (claim === undefined) return;
      const { namespace } = claim.metadata;
      const uses = (pod: Pod) => isUsing(pod, claim);
      if (podInformer.by(byNamespace, namespace).some(uses)) return;
      const news = withoutFinalizer(claim, claimProtection);
      if (news === undefined) return;
      // The cache may not know the newest pod yet.
      const { items } = await pods.listAll({ namespace, signal });
      if (!items.some(uses)) await claims.update(news, { signal });
    },
  });
}

export function volumeProtectionController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const volumes = client.resource("v1", "PersistentVolume");
  const informer = informers.of(volumes);
  return new Controller({
    ...context,
    sources: [informer],
    async reconcile(key, signal) {
      const volume = informer.get(key);
      if (volume === undefined || volume.status?.phase === "Bound") return;
      const news = withoutFinalizer(volume, volumeProtection);
      if (news !== undefined) await volumes.update(news, { signal });
    },
  });
}

/**
 * Whether a pod keeps a claim from being deleted. A node starts no pods with claims that are being deleted, so
 * pods without a node do not.
 */
export function isUsing(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName) return false;
  return claimsOf(pod).some(
    ({ name, isEphemeral }) =>
      keyOf(claim) === `${pod.metadata.namespace}/${name}` &&
      (!isEphemeral || (!isFinishedPod(pod) && isMadeFor(pod.metadata.uid, claim))),
  );
}

/** Returns an object that is being deleted without its finalizer; `undefined` if there is nothing to do. */
function withoutFinalizer<T extends PersistentVolume | PersistentVolumeClaim>(
  object: T,
  finalizer: string,
): T | undefined {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) return undefined;
  const left = finalizers.filter((each) => each !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers: left } };
}

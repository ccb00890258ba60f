// Makes the claims of ephemeral volumes. They are their pods' own, and are collected with them.

import { Controller } from "../../../api/client/controller.ts";
import { isAlreadyExists } from "../../../api/client/errors.ts";
import type { Draft } from "../../../api/client/objects.ts";
import { isFinishedPod } from "../../../api/kinds/pod.ts";
import { claimOf, isMadeFor } from "../../../api/kinds/storage.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../../api/types/core.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { ControllerContext } from "../context.ts";
import { referenceTo } from "../workloads/ownership.ts";

export function ephemeralController(context: ControllerContext): Controller {
  const { client, informers, recorder } = context;
  const pods = informers.of(client.resource("v1", "Pod"));
  const resource = client.resource("v1", "PersistentVolumeClaim");
  const claims = informers.of(resource);

  const make = async (pod: Pod, volume: Volume, signal: AbortSignal): Promise<void> => {
    const draft = ephemeralClaim(pod, volume);
    if (draft === undefined) return;
    const known = claims.get(`${pod.metadata.namespace}/${draft.metadata.name ?? ""}`);
    if (known !== undefined) {
      if (!isMadeFor(pod.metadata.uid, known)) throw new Error(foreign(pod, known));
      return;
    }
    try {
      await resource.create(draft, { signal });
    } catch (error) {
      // The informer will tell whose claim it is.
      if (isAlreadyExists(error)) return;
      const message = `ephemeral volume controller failed to create claim: ${describeError(error)}`;
      recorder.record(pod, { type: "Warning", reason: "EphemeralVolumeCreateFailed", message });
      throw error;
    }
  };

  return new Controller({
    ...context,
    sources: [
      pods,
      claims.mapped(({ metadata }) =>
        (metadata.ownerReferences ?? [])
          .filter(({ kind }) => kind === "Pod")
          .map(({ name }) => `${metadata.namespace}/${name}`),
      ),
    ],
    async reconcile(key, signal) {
      const pod = pods.get(key);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
      if (isFinishedPod(pod)) return;
      for (const volume of pod.spec.volumes ?? []) await make(pod, volume, signal);
    },
  });
}

export function ephemeralClaim(pod: Pod, volume: Volume): Draft<PersistentVolumeClaim> | undefined {
  const claim = claimOf(pod, volume);
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template === undefined || claim?.isEphemeral !== true) return undefined;
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: {
      namespace: pod.metadata.namespace,
      name: claim.name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [referenceTo({ ...pod, apiVersion: "v1", kind: "Pod" })],
    },
    spec: structuredClone(template.spec),
  };
}

function foreign({ metadata }: Pod, claim: PersistentVolumeClaim): string {
  const { namespace, name } = claim.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${metadata.name} (pod is not owner)`;
}

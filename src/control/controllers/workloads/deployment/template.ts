// Matches ReplicaSets with templates.

import type { Draft } from "../../../../api/client/objects.ts";
import { completeTemplate } from "../../../../api/kinds/workloads.ts";
import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import type { PodTemplateSpec } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { canonicalJson } from "../../../../base/json/value.ts";
import { hashOf } from "../names.ts";
import { referenceTo } from "../ownership.ts";

const hashLabel = "pod-template-hash";

export function isSameTemplate(
  one: PodTemplateSpec | undefined,
  other: PodTemplateSpec | undefined,
): boolean {
  return identityOf(one ?? {}) === identityOf(other ?? {});
}

export type SetDraft = Draft<ReplicaSet> & Pick<ReplicaSet, "metadata">;

/** Returns a new ReplicaSet for the Deployment's template. Its pods have a hash label of their own. */
export function newSet(
  deployment: Deployment,
  replicas: number,
  annotations: Record<string, string>,
): SetDraft {
  const { metadata, spec, status } = deployment;
  const hash = hashOf(identityOf(spec.template), status?.collisionCount);
  const template = structuredClone(spec.template);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    metadata: {
      namespace: metadata.namespace,
      name: `${metadata.name}-${hash}`,
      labels,
      annotations,
      ownerReferences: [referenceTo(deployment)],
    },
    spec: {
      replicas,
      ...defined({ minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

const identities = new WeakMap<PodTemplateSpec, string>();

/** Returns a text that is equal for templates that make equal pods. */
function identityOf(template: PodTemplateSpec): string {
  const known = identities.get(template);
  if (known !== undefined) return known;
  const copy = structuredClone(template);
  // Both sides are completed with the defaults that the present server would store.
  completeTemplate(copy);
  const { [hashLabel]: _, ...labels } = copy.metadata?.labels ?? {};
  const { annotations = {}, finalizers = [] } = copy.metadata ?? {};
  const identity = canonicalJson({ labels, annotations, finalizers, spec: copy.spec });
  identities.set(template, identity);
  return identity;
}

// Builds a pod from its owner's template.

import type { Draft } from "../../../../api/client/objects.ts";
import type { Pod, PodTemplateSpec } from "../../../../api/types/core.ts";
import type { Random } from "../../../../base/host/random.ts";
import { withSuffix } from "../names.ts";
import { type Namespaced, referenceTo } from "../ownership.ts";

export type PodDraft = Draft<Pod> & Pick<Pod, "metadata">;

export function podFromTemplate(
  owner: Namespaced,
  template: PodTemplateSpec,
  name: string,
): PodDraft {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      namespace: owner.metadata.namespace,
      name,
      labels: { ...labels },
      annotations: { ...annotations },
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [referenceTo(owner)],
    },
    spec: structuredClone(template.spec ?? { containers: [] }),
  };
}

/** Builds a pod with a generated name: `web-` becomes `web-x7k2p`. */
export function suffixedPod(
  owner: Namespaced,
  template: PodTemplateSpec,
  { prefix, random }: { readonly prefix: string; readonly random: Random },
): PodDraft {
  const draft = podFromTemplate(owner, template, withSuffix(prefix, random));
  return { ...draft, metadata: { ...draft.metadata, generateName: prefix } };
}

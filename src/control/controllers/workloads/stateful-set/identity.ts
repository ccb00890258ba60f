// The stable identity of a StatefulSet's pods: their names, and what follows from them.

import type { ControllerRevision, StatefulSet } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { type PodDraft, podFromTemplate } from "../pods/from-template.ts";
import { revisionLabel, templateIn } from "../revisions/revision.ts";
import { claimNames, withClaims } from "./claims.ts";

const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";

/** Returns the ordinal in a pod's name; `undefined` if the name is not one of the set's. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const { name } = pod.metadata;
  const prefix = `${metadata.name}-`;
  const number = name.slice(prefix.length);
  return name.startsWith(prefix) && /^(0|[1-9]\d{0,8})$/.test(number) ? Number(number) : undefined;
}

/** Returns the name of the revision that a pod was created from. */
export function revisionOfPod({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

export function statefulPod(
  set: StatefulSet,
  revision: ControllerRevision,
  ordinal: number,
): PodDraft {
  const name = `${set.metadata.name}-${ordinal}`;
  const draft = podFromTemplate(set, templateIn(revision), name);
  const { serviceName } = set.spec;
  const claims = claimNames(set, ordinal);
  const labels = {
    ...draft.metadata.labels,
    [nameLabel]: name,
    [indexLabel]: String(ordinal),
    [revisionLabel]: revision.metadata.name,
  };
  return {
    metadata: { ...draft.metadata, labels },
    spec: {
      ...draft.spec,
      hostname: name,
      ...(claims.size === 0 ? {} : { volumes: withClaims(draft.spec.volumes, claims) }),
      ...(serviceName === undefined || serviceName === "" ? {} : { subdomain: serviceName }),
    },
  };
}

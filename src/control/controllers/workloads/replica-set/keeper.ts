// A common view of ReplicaSets and the older ReplicationControllers.

import {
  compileLabelSelector,
  type LabelFilter,
} from "../../../../api/selectors/label-selector.ts";
import type { ReplicaSet } from "../../../../api/types/apps.ts";
import type { PodTemplateSpec, ReplicationController } from "../../../../api/types/core.ts";

export type ReplicaKeeper = ReplicaSet | ReplicationController;

/** The wanted state. */
export interface Wanted {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly selector: LabelFilter;
  readonly template: PodTemplateSpec;
}

export function wantedBy(keeper: ReplicaKeeper): Wanted {
  const { replicas = 1, minReadySeconds = 0, template = {} } = keeper.spec;
  return { replicas, minReadySeconds, template, selector: selectorOf(keeper) };
}

export function selectorOf(keeper: ReplicaKeeper): LabelFilter {
  let selector = known.get(keeper);
  if (selector === undefined) {
    const isSet = keeper.kind === "ReplicaSet";
    selector = compileLabelSelector(
      isSet ? keeper.spec.selector : { matchLabels: { ...keeper.spec.selector } },
    );
    known.set(keeper, selector);
  }
  return selector;
}

const known = new WeakMap<ReplicaKeeper, LabelFilter>();

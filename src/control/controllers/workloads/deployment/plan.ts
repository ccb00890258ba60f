// Plans what a Deployment does next.

import type { Deployment, DeploymentStatus, ReplicaSet } from "../../../../api/types/apps.ts";
import {
  inherited,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
  withRevision,
} from "./annotations.ts";
import { isObserved, type Limits, limitsOf, occupied, sizeOf } from "./limits.ts";
import { setNewSet, setPaused, setProgress } from "./progress.ts";
import { newSize, oldSizes, type Sizes } from "./rolling.ts";
import { isScaled, scaledSizes } from "./scaling.ts";
import {
  countStatus,
  isComplete,
  isSameStatus,
  type Sets,
  setAvailability,
  setReplicaFailure,
} from "./status.ts";
import { isSameTemplate, newSet, type SetDraft } from "./template.ts";

export interface DeploymentState {
  readonly deployment: Deployment;
  /** The Deployment's own ReplicaSets, in any order. */
  readonly sets: readonly ReplicaSet[];
  /** Whether pods of the ReplicaSet still exist, terminating ones included. */
  readonly hasPods: (set: ReplicaSet) => boolean;
  readonly now: number;
}

export interface Resized {
  readonly set: ReplicaSet;
  readonly from: number;
  readonly to: number;
}

export interface DeploymentPlan {
  /** The ReplicaSet to create first. */
  readonly create: SetDraft | undefined;
  /** The ReplicaSets with changed sizes or annotations. */
  readonly update: readonly ReplicaSet[];
  readonly resized: readonly Resized[];
  readonly remove: readonly ReplicaSet[];
  /** The revision annotation of the Deployment itself, if it has to change. */
  readonly revision: string | undefined;
  /** The new status; `undefined` if it is unchanged. */
  readonly status: DeploymentStatus | undefined;
}

export function planDeployment(state: DeploymentState): DeploymentPlan {
  const { deployment, now } = state;
  const all = state.sets.toSorted(byAge);
  const newest = all.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template));
  const sets: Sets = { newest, all };
  const limits = limitsOf(deployment);
  const status = countStatus(deployment, sets);
  setAvailability(status, limits, now);
  setReplicaFailure(status, sets, now);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return { ...nothing, status: changed(status, deployment) };
  }
  setPaused(deployment.spec, status, now);
  const isPaused = deployment.spec.paused === true;
  const isResizing = isPaused || isScaled(all, limits);
  const { sizes, create } = isResizing
    ? {
        sizes: scaledSizes(newest, all, { ...limits, isRolling: isRolling(deployment) }),
        create: undefined,
      }
    : rollOut(state, sets, limits);
  const revision = nextRevision(sets);
  const draft =
    create === undefined
      ? undefined
      : newSet(deployment, create, {
          ...withRevision(inherited(deployment), revision),
          ...sizeAnnotations(limits.desired, limits.maximum),
        });
  const updated = all.map((set) => updatedSet(set, { deployment, limits, sizes, sets, revision }));
  if (!isResizing) {
    if (draft !== undefined) setNewSet(status, { name: draft.metadata.name, isMade: true }, now);
    else if (newest !== undefined && revisionOf(newest) < revision) {
      setNewSet(status, { name: newest.metadata.name, isMade: false }, now);
    }
    setProgress(deployment, status, { limits, sets, now });
  }
  const current = newest === undefined && draft === undefined ? undefined : String(revision);
  return {
    create: draft,
    update: updated.filter((set, index) => set !== all[index]),
    resized: resizedSets(all, updated),
    remove: isComplete(status, limits) ? superfluous(deployment, sets) : [],
    revision:
      current === deployment.metadata.annotations?.[revisionAnnotation] ? undefined : current,
    status: changed(status, deployment),
  };
}

const nothing: DeploymentPlan = {
  create: undefined,
  update: [],
  resized: [],
  remove: [],
  revision: undefined,
  status: undefined,
};

function byAge(left: ReplicaSet, right: ReplicaSet): number {
  const [a, b] = [left, right].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""));
  return (a || 0) - (b || 0) || (left.metadata.name < right.metadata.name ? -1 : 1);
}

function isRolling({ spec }: Deployment): boolean {
  return spec.strategy?.type !== "Recreate";
}

function rollOut(
  { deployment, hasPods }: DeploymentState,
  { newest, all }: Sets,
  limits: Limits,
): { readonly sizes: Sizes; readonly create: number | undefined } {
  const old = all.filter((set) => set !== newest);
  if (isRolling(deployment)) {
    const size = newSize(newest, old, limits);
    if (newest === undefined) return { sizes: new Map(), create: size };
    return {
      sizes: new Map([...oldSizes(newest, old, limits), [newest, size]]),
      create: undefined,
    };
  }
  const sizes = new Map(old.map((set) => [set, 0]));
  // With Recreate all old pods must be gone before a new one starts, and no controller may be about to create
  // more.
  const isLeft = (set: ReplicaSet) => occupied(set) > 0 || !isObserved(set) || hasPods(set);
  if (old.some(isLeft)) return { sizes, create: undefined };
  if (newest === undefined) return { sizes, create: limits.desired };
  return { sizes: new Map([...sizes, [newest, limits.desired]]), create: undefined };
}

/**
 * Returns the next revision: one more than all others, unless the newest ReplicaSet has the highest already.
 */
function nextRevision({ newest, all }: Sets): number {
  const past = Math.max(0, ...all.filter((set) => set !== newest).map(revisionOf));
  return Math.max(past + 1, newest === undefined ? 0 : revisionOf(newest));
}

interface Update {
  readonly deployment: Deployment;
  readonly limits: Limits;
  readonly sizes: Sizes;
  readonly sets: Sets;
  readonly revision: number;
}

/** Returns the updated ReplicaSet; the same object if nothing changes. */
function updatedSet(set: ReplicaSet, update: Update): ReplicaSet {
  const { deployment, limits, sizes, sets, revision } = update;
  const before = set.metadata.annotations ?? {};
  const size = sizes.get(set) ?? sizeOf(set);
  const isNewest = set === sets.newest;
  const ofNewest = isNewest
    ? withRevision({ ...before, ...inherited(deployment) }, revision)
    : before;
  const isSized = sizes.has(set) && size > 0;
  const annotations = isSized
    ? { ...ofNewest, ...sizeAnnotations(limits.desired, limits.maximum) }
    : ofNewest;
  const { minReadySeconds = 0 } = isNewest ? deployment.spec : set.spec;
  const isSame =
    size === sizeOf(set) &&
    minReadySeconds === (set.spec.minReadySeconds ?? 0) &&
    Object.entries(annotations).every(([key, value]) => before[key] === value);
  if (isSame) return set;
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, replicas: size, minReadySeconds },
  };
}

function resizedSets(before: readonly ReplicaSet[], after: readonly ReplicaSet[]): Resized[] {
  return after.flatMap((set, index) => {
    const from = sizeOf(before[index] ?? set);
    const to = sizeOf(set);
    return from === to ? [] : [{ set, from, to }];
  });
}

function changed(status: DeploymentStatus, { status: old }: Deployment) {
  return isSameStatus(status, old) ? undefined : status;
}

/** Returns the empty ReplicaSets beyond the history limit. */
function superfluous({ spec }: Deployment, { newest, all }: Sets): ReplicaSet[] {
  const { revisionHistoryLimit } = spec;
  if (revisionHistoryLimit === undefined) return [];
  const past = all.filter((set) => set !== newest);
  const excess = Math.max(0, past.length - revisionHistoryLimit);
  return past
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, excess)
    .filter(isEmpty);
}

function isEmpty(set: ReplicaSet): boolean {
  const { metadata, status } = set;
  const isLeft = sizeOf(set) === 0 && (status?.replicas ?? 0) === 0 && isObserved(set);
  return isLeft && metadata.deletionTimestamp === undefined;
}

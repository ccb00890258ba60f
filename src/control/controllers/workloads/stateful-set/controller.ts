// Reconciles the numbered pods of StatefulSets.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import type { Index, Informer } from "../../../../api/client/informer.ts";
import { byNamespace } from "../../../../api/client/informer.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { StatefulSet } from "../../../../api/types/apps.ts";
import type { PersistentVolumeClaim, Pod } from "../../../../api/types/core.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { controllerKeys, ownerKeys } from "../owner-keys.ts";
import { byController, claim, orphansIn } from "../ownership.ts";
import type { PodDraft } from "../pods/from-template.ts";
import { PodControl, throwFailure } from "../pods/pod-control.ts";
import { isTerminating, nextAvailableIn } from "../pods/state.ts";
import { type Kept, type Revisions, sharedRevisions } from "../revisions/keep.ts";
import { sharedPods } from "../shared-pods.ts";
import { ClaimKeeper } from "./claim-keeper.ts";
import { ordinalOf, revisionOfPod, statefulPod } from "./identity.ts";
import { planStateful, type StatefulState } from "./plan.ts";
import { nextStatefulStatus } from "./status.ts";

const byKey: Index<StatefulSet> = (set) => [keyOf(set)];

export function statefulSetController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("apps/v1", "StatefulSet");
  const informer = informers.of(resource, { indexes: [byNamespace] });
  const sets = new Children({ resource, informer, clock }, [byKey]);
  const pods = context.shared(sharedPods);
  const revisions = context.shared(sharedRevisions);
  const claimClient = client.resource("v1", "PersistentVolumeClaim");
  const claimInformer = informers.of(claimClient);
  const claims = new ClaimKeeper({ ...context, resource: claimClient, informer: claimInformer });
  const keeping = new StatefulKeeping({ ...context, resource, sets, pods, revisions, claims });
  return new Controller({
    ...context,
    sources: [
      informer,
      informers
        .of(client.resource("v1", "Pod"))
        .mapped(ownerKeys(informer, { kind: "StatefulSet", isMeant })),
      informers
        .of(client.resource("apps/v1", "ControllerRevision"))
        .mapped((revision) => controllerKeys(revision, "StatefulSet")),
      claimInformer.mapped((volumeClaim) => setsOfClaim(volumeClaim, informer)),
    ],
    concurrency: 5,
    reconcile: (key, signal) => keeping.reconcile(key, signal),
  });
}

interface KeepingOptions extends Pick<ControllerContext, "clock" | "recorder"> {
  readonly resource: ResourceClient<StatefulSet>;
  readonly sets: Children<StatefulSet>;
  readonly pods: Children<Pod>;
  readonly revisions: Revisions;
  readonly claims: ClaimKeeper;
}

class StatefulKeeping {
  readonly #options: KeepingOptions;
  readonly #control: PodControl;
  readonly #claims: ClaimKeeper;

  constructor(options: KeepingOptions) {
    this.#options = options;
    this.#claims = options.claims;
    this.#control = new PodControl(options.pods, options.recorder);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { sets, pods, revisions, resource, clock } = this.#options;
    await sets.settle(byKey, key, signal);
    const set = sets.get(key);
    if (set === undefined) return undefined;
    const { uid = "", namespace } = set.metadata;
    await pods.settle(byController, uid, signal);
    const candidates = [
      ...pods.by(byController, uid),
      ...pods.by(byController, orphansIn(namespace)),
    ];
    const ours = claim(set, candidates, (pod) => isMeant(set, pod));
    const claiming = { owners: resource, children: pods, signal };
    if (!(await carryOutClaim(set, ours, claiming))) return undefined;
    const kept = await revisions.sync(set, { owners: resource, signal });
    if (kept === undefined) {
      await this.#collide(set, signal);
      return undefined;
    }
    const { present: update, all } = kept;
    const current =
      all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
    const state = { set, pods: ours.kept, current, update, now: clock.now() };
    await this.#carryOut(state, signal);
    await this.#forget(state, kept, signal);
    const { minReadySeconds = 0 } = set.spec;
    const next = nextAvailableIn(ours.kept, { minReadySeconds, now: clock.now() });
    return againIn(next, pods.patience(byController, uid));
  }

  async #carryOut(state: StatefulState, signal: AbortSignal): Promise<void> {
    const { set } = state;
    const plan = planStateful(state);
    const drafts: PodDraft[] = [];
    for (const { ordinal, revision } of plan.create) {
      const isReady = await this.#claims.make(set, ordinal, signal);
      if (isReady) drafts.push(statefulPod(set, revision, ordinal));
    }
    await this.#keepClaims(state, new Set(plan.surplus), signal);
    const created = await this.#control.create(set, drafts, signal);
    const removed = await this.#control.delete(set, plan.remove, signal);
    const status = nextStatefulStatus(state);
    if (status !== undefined) await this.#options.sets.updateStatus({ ...set, status }, signal);
    [created, removed].forEach(throwFailure);
  }

  /** Makes claims anew that pods still wait for, and keeps the owners of all. */
  async #keepClaims(
    { set, pods }: StatefulState,
    surplus: ReadonlySet<Pod>,
    signal: AbortSignal,
  ): Promise<void> {
    if ((set.spec.volumeClaimTemplates ?? []).length === 0) return;
    for (const pod of pods) {
      const isSurplus = surplus.has(pod);
      const ordinal = ordinalOf(set, pod) ?? 0;
      const isWaiting = pod.status?.phase === "Pending" && !isTerminating(pod) && !isSurplus;
      if (isWaiting) await this.#claims.make(set, ordinal, signal);
      await this.#claims.keepOwners({ set, pod, isSurplus }, signal);
    }
  }

  async #forget({ set, pods, current, update }: StatefulState, { all }: Kept, signal: AbortSignal) {
    const names = [current, update].map(({ metadata }) => metadata.name);
    const used = new Set([...names, ...pods.map(revisionOfPod)]);
    const isUsed = ({ metadata }: (typeof all)[number]) => used.has(metadata.name);
    await this.#options.revisions.forget(set, all, { isUsed, signal });
  }

  async #collide(set: StatefulSet, signal: AbortSignal): Promise<void> {
    const collisionCount = (set.status?.collisionCount ?? 0) + 1;
    const status = { replicas: 0, ...set.status, collisionCount };
    await this.#options.sets.updateStatus({ ...set, status }, signal);
  }
}

function isMeant(set: StatefulSet, pod: Pod): boolean {
  const isSelected = compileLabelSelector(set.spec.selector).matches(pod);
  return isSelected && ordinalOf(set, pod) !== undefined;
}

/** Returns the sets to which a claim of that name may belong: they wait for it to come, or to go. */
function setsOfClaim(
  { metadata: { namespace, name } }: PersistentVolumeClaim,
  sets: Informer<StatefulSet>,
): string[] {
  return sets
    .by(byNamespace, namespace)
    .filter(({ metadata, spec }) =>
      (spec.volumeClaimTemplates ?? []).some((template) =>
        name.startsWith(`${template.metadata.name}-${metadata.name}-`),
      ),
    )
    .map(keyOf);
}

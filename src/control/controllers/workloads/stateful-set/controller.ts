// Reconciles the numbered pods of StatefulSets.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import type { Index } from "../../../../api/client/informer.ts";
import { byNamespace } from "../../../../api/client/informer.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { StatefulSet } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { controllerKeys, ownerKeys } from "../owner-keys.ts";
import { byController, claim, orphansIn } from "../ownership.ts";
import { PodControl, throwFailure } from "../pods/pod-control.ts";
import { nextAvailableIn } from "../pods/state.ts";
import { type Kept, type Revisions, sharedRevisions } from "../revisions/keep.ts";
import { sharedPods } from "../shared-pods.ts";
import { ordinalOf, revisionOfPod, statefulPod } from "./identity.ts";
import { planStateful, type StatefulState } from "./plan.ts";
import { nextStatefulStatus, refusalOf, refusedStatus } from "./status.ts";

const byKey: Index<StatefulSet> = (set) => [keyOf(set)];

export function statefulSetController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("apps/v1", "StatefulSet");
  const informer = informers.of(resource, { indexes: [byNamespace] });
  const sets = new Children({ resource, informer, clock }, [byKey]);
  const pods = context.shared(sharedPods);
  const revisions = context.shared(sharedRevisions);
  const keeping = new StatefulKeeping({ ...context, resource, sets, pods, revisions });
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
}

class StatefulKeeping {
  readonly #options: KeepingOptions;
  readonly #control: PodControl;

  constructor(options: KeepingOptions) {
    this.#options = options;
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
    if (await this.#refuse(set, ours.kept, signal)) return undefined;
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
    const drafts = plan.create.map(({ ordinal, revision }) => statefulPod(set, revision, ordinal));
    const created = await this.#control.create(set, drafts, signal);
    const removed = await this.#control.delete(set, plan.remove, signal);
    const status = nextStatefulStatus(state);
    if (status !== undefined) await this.#options.sets.updateStatus({ ...set, status }, signal);
    [created, removed].forEach(throwFailure);
  }

  async #forget({ set, pods, current, update }: StatefulState, { all }: Kept, signal: AbortSignal) {
    const names = [current, update].map(({ metadata }) => metadata.name);
    const used = new Set([...names, ...pods.map(revisionOfPod)]);
    const isUsed = ({ metadata }: (typeof all)[number]) => used.has(metadata.name);
    await this.#options.revisions.forget(set, all, { isUsed, signal });
  }

  /** Reports if the set asks for something unsupported; returns whether it does. */
  async #refuse(set: StatefulSet, pods: readonly Pod[], signal: AbortSignal): Promise<boolean> {
    const { sets, recorder, clock } = this.#options;
    const refusal = refusalOf(set);
    if (refusal === undefined) return false;
    const status = refusedStatus(set, refusal, { pods, now: clock.now() });
    if (status !== undefined) {
      await sets.updateStatus({ ...set, status }, signal);
      const { message } = refusal;
      recorder.record(set, { type: "Warning", reason: "FailedCreate", message });
    }
    return true;
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

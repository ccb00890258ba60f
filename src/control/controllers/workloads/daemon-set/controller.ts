// Reconciles DaemonSets: one pod on every eligible node.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import { byNamespace, type Informer, type KeySource } from "../../../../api/client/informer.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import type { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { controllerKeys, ownerKeys } from "../owner-keys.ts";
import { byController, claim, orphansIn } from "../ownership.ts";
import { suffixedPod } from "../pods/from-template.ts";
import { PodControl, throwFailure } from "../pods/pod-control.ts";
import { nextAvailableIn } from "../pods/state.ts";
import { type Revisions, sharedRevisions } from "../revisions/keep.ts";
import { revisionHash, revisionLabel } from "../revisions/revision.ts";
import { sharedPods } from "../shared-pods.ts";
import { Delays } from "./delays.ts";
import { templateFor } from "./nodes.ts";
import { type DaemonPlan, planDaemons } from "./plan.ts";
import { nextDaemonStatus } from "./status.ts";

export function daemonSetController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const resource = client.resource("apps/v1", "DaemonSet");
  const sets = informers.of(resource, { indexes: [byNamespace] });
  const nodes = informers.of(client.resource("v1", "Node"));
  const pods = context.shared(sharedPods);
  const revisions = context.shared(sharedRevisions);
  const keeping = new DaemonKeeping({ ...context, resource, sets, nodes, pods, revisions });
  return new Controller({
    ...context,
    sources: [
      sets,
      informers
        .of(client.resource("v1", "Pod"))
        .mapped(ownerKeys(sets, { kind: "DaemonSet", isMeant })),
      informers
        .of(client.resource("apps/v1", "ControllerRevision"))
        .mapped((revision) => controllerKeys(revision, "DaemonSet")),
      nodeChanges(nodes, () => sets.list().map(keyOf)),
    ],
    concurrency: 2,
    reconcile: (key, signal) => keeping.reconcile(key, signal),
  });
}

interface KeepingOptions extends Pick<ControllerContext, "clock" | "random" | "recorder"> {
  readonly resource: ResourceClient<DaemonSet>;
  readonly sets: Informer<DaemonSet>;
  readonly nodes: Informer<Node>;
  readonly pods: Children<Pod>;
  readonly revisions: Revisions;
}

class DaemonKeeping {
  readonly #options: KeepingOptions;
  readonly #control: PodControl;
  readonly #delays: Delays;

  constructor(options: KeepingOptions) {
    this.#options = options;
    this.#control = new PodControl(options.pods, options.recorder);
    this.#delays = new Delays(options.clock);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { sets, nodes, pods, revisions, resource, clock } = this.#options;
    const set = sets.get(key);
    if (set === undefined) return undefined;
    const { uid = "", namespace } = set.metadata;
    await pods.settle(byController, uid, signal);
    const ours = claim(
      set,
      [...pods.by(byController, uid), ...pods.by(byController, orphansIn(namespace))],
      (pod) => isMeant(set, pod),
    );
    const claiming = { owners: resource, children: pods, signal };
    if (!(await carryOutClaim(set, ours, claiming))) return undefined;
    const kept = await revisions.sync(set, { owners: resource, signal });
    if (kept === undefined) {
      await this.#collide(set, signal);
      return undefined;
    }
    const hash = revisionHash(kept.present);
    const state = { set, nodes: nodes.list(), pods: ours.kept, hash, now: clock.now() };
    const plan = planDaemons(state, (node) => this.#delays.remaining(`${uid} ${node}`));
    await this.#carryOut(set, plan, { hash, signal });
    const used = new Set(ours.kept.map(({ metadata }) => metadata.labels?.[revisionLabel]));
    await revisions.forget(set, kept.all, {
      isUsed: (each) =>
        each.metadata.uid === kept.present.metadata.uid || used.has(revisionHash(each)),
      signal,
    });
    const { minReadySeconds = 0 } = set.spec;
    const next = nextAvailableIn(ours.kept, { minReadySeconds, now: clock.now() });
    return againIn(next, plan.againInMs, pods.patience(byController, uid));
  }

  async #carryOut(
    set: DaemonSet,
    plan: DaemonPlan,
    { hash, signal }: { readonly hash: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { random, resource } = this.#options;
    const prefix = `${set.metadata.name}-`;
    for (const node of plan.failed) this.#delays.fail(`${set.metadata.uid} ${node}`);
    const drafts = plan.create.map((node) => {
      const draft = suffixedPod(set, templateFor(set.spec.template, node), { prefix, random });
      const labels = { ...draft.metadata.labels, [revisionLabel]: hash };
      return { ...draft, metadata: { ...draft.metadata, labels } };
    });
    const created = await this.#control.create(set, drafts, signal);
    const removed = await this.#control.delete(set, plan.remove, signal);
    const status = nextDaemonStatus(set, plan.posts);
    if (status !== undefined) await resource.updateStatus({ ...set, status }, { signal });
    [created, removed].forEach(throwFailure);
  }

  async #collide(set: DaemonSet, signal: AbortSignal): Promise<void> {
    const collisionCount = (set.status?.collisionCount ?? 0) + 1;
    const status = { ...nextDaemonStatus(set, []), ...set.status, collisionCount };
    await this.#options.resource.updateStatus(
      { ...set, status: status as NonNullable<DaemonSet["status"]> },
      { signal },
    );
  }
}

function isMeant({ spec }: DaemonSet, pod: Pod): boolean {
  return compileLabelSelector(spec.selector).matches(pod);
}

/** Reports all `keys` when a node is added, removed, or changed in what matters for choosing nodes. */
function nodeChanges(nodes: Informer<Node>, keys: () => Iterable<string>): KeySource {
  return {
    synced: nodes.synced,
    subscribe(add) {
      const looks = new Map<string, string>();
      return nodes.subscribe((name) => {
        const node = nodes.get(name);
        const look = node === undefined ? "" : lookOf(node);
        if (looks.get(name) === look) return;
        if (node === undefined) looks.delete(name);
        else looks.set(name, look);
        for (const key of keys()) add(key);
      });
    },
  };
}

function lookOf({ metadata, spec }: Node): string {
  return JSON.stringify([metadata.uid, metadata.labels, spec.taints]);
}

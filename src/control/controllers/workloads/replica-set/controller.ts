// Reconciles the number of pods of ReplicaSets and ReplicationControllers.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import type { Informer } from "../../../../api/client/informer.ts";
import { byNamespace } from "../../../../api/client/informer.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { describeError } from "../../../../base/program/errors.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import type { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { ownerKeys } from "../owner-keys.ts";
import { byController, controllerOf, orphansIn } from "../ownership.ts";
import { suffixedPod } from "../pods/from-template.ts";
import { isNamespaceEnding, PodControl } from "../pods/pod-control.ts";
import { nextAvailableIn } from "../pods/state.ts";
import { sharedPods } from "../shared-pods.ts";
import { type ReplicaKeeper, selectorOf, wantedBy } from "./keeper.ts";
import { planReplicas, type ReplicaPlan } from "./plan.ts";
import { nextStatus, type ReplicaFailure } from "./status.ts";

export function replicaSetController(context: ControllerContext): Controller {
  const resource = context.client.resource("apps/v1", "ReplicaSet");
  return keepReplicas(context, resource);
}

export function replicationControllerController(context: ControllerContext): Controller {
  const resource = context.client.resource("v1", "ReplicationController");
  return keepReplicas(context, resource);
}

function keepReplicas<K extends ReplicaKeeper>(
  context: ControllerContext,
  resource: ResourceClient<K>,
): Controller {
  const keepers = context.informers.of(resource, { indexes: [byNamespace, byController] });
  const pods = context.shared(sharedPods);
  const keeping = new ReplicaKeeping({ ...context, resource, keepers, pods });
  const { kind } = resource.definition;
  const podInformer = context.informers.of(context.client.resource("v1", "Pod"));
  return new Controller({
    ...context,
    sources: [
      keepers,
      podInformer.mapped(
        ownerKeys(keepers, { kind, isMeant: (keeper, pod) => selectorOf(keeper).matches(pod) }),
      ),
    ],
    concurrency: 5,
    reconcile: (key, signal) => keeping.reconcile(key, signal),
  });
}

interface KeepingOptions<K extends ReplicaKeeper>
  extends Pick<ControllerContext, "clock" | "random" | "recorder"> {
  readonly resource: ResourceClient<K>;
  readonly keepers: Informer<K>;
  readonly pods: Children<Pod>;
}

class ReplicaKeeping<K extends ReplicaKeeper> {
  readonly #options: KeepingOptions<K>;
  readonly #control: PodControl;

  constructor(options: KeepingOptions<K>) {
    this.#options = options;
    this.#control = new PodControl(options.pods, options.recorder);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { keepers, pods, clock } = this.#options;
    const keeper = keepers.get(key);
    if (keeper === undefined) return undefined;
    const { uid = "", namespace } = keeper.metadata;
    await pods.settle(byController, uid, signal);
    const plan = planReplicas({
      keeper,
      pods: [...pods.by(byController, uid), ...pods.by(byController, orphansIn(namespace))],
      neighbours: () => this.#neighbours(keeper),
    });
    const claiming = { owners: this.#options.resource, children: pods, signal };
    if (!(await carryOutClaim(keeper, plan, claiming))) return undefined;
    const failed = await this.#carryOut(keeper, plan, signal);
    const status = nextStatus(keeper, plan, { failure: failed?.told, now: clock.now() });
    if (status !== undefined) {
      await this.#options.resource.updateStatus({ ...keeper, status }, { signal });
    }
    if (failed !== undefined) throw failed.error;
    const { minReadySeconds } = wantedBy(keeper);
    const next = nextAvailableIn(plan.active, { minReadySeconds, now: clock.now() });
    return againIn(next, pods.patience(byController, uid));
  }

  async #carryOut(
    keeper: K,
    { create, remove }: ReplicaPlan,
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown; readonly told: ReplicaFailure } | undefined> {
    const { template } = wantedBy(keeper);
    const prefix = `${keeper.metadata.name}-`;
    const { random } = this.#options;
    const drafts = Array.from({ length: create }, () =>
      suffixedPod(keeper, template, { prefix, random }),
    );
    const created = await this.#control.create(keeper, drafts, signal);
    if (created.failure !== undefined) {
      const { error } = created.failure;
      if (isNamespaceEnding(error)) return undefined;
      return { error, told: { reason: "FailedCreate", message: describeError(error) } };
    }
    const removed = await this.#control.delete(keeper, remove, signal);
    if (removed.failure === undefined) return undefined;
    const { error } = removed.failure;
    return { error, told: { reason: "FailedDelete", message: describeError(error) } };
  }

  /** Returns the pods of other ReplicaSets of the same owner. */
  #neighbours(keeper: K): Pod[] {
    const { keepers, pods } = this.#options;
    const owner = controllerOf(keeper);
    if (owner === undefined) return [];
    return keepers
      .by(byController, owner.uid)
      .filter(({ metadata }) => metadata.uid !== keeper.metadata.uid)
      .flatMap(({ metadata }) => pods.by(byController, metadata.uid ?? ""));
  }
}

// Rolls Deployments from one version to the next.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import { isAlreadyExists } from "../../../../api/client/errors.ts";
import type { Informer } from "../../../../api/client/informer.ts";
import { byNamespace } from "../../../../api/client/informer.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";
import type { Pod } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { ownerKeys } from "../owner-keys.ts";
import {
  byController,
  claim,
  controllerKey,
  isControlledBy,
  orphansIn,
  placeOf,
} from "../ownership.ts";
import { sharedPods } from "../shared-pods.ts";
import { revisionAnnotation } from "./annotations.ts";
import { type DeploymentPlan, planDeployment, type Resized } from "./plan.ts";
import { deadlineIn } from "./progress.ts";
import { isSameTemplate } from "./template.ts";

export function deploymentController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("apps/v1", "Deployment");
  const deployments = informers.of(resource, { indexes: [byNamespace] });
  const setResource = client.resource("apps/v1", "ReplicaSet");
  const setInformer = informers.of(setResource);
  const sets = new Children({ resource: setResource, informer: setInformer, clock }, [
    byController,
  ]);
  const pods = context.shared(sharedPods);
  const rollout = new Rollout({ ...context, resource, deployments, setResource, sets, pods });
  return new Controller({
    ...context,
    sources: [
      deployments,
      setInformer.mapped(ownerKeys(deployments, { kind: "Deployment", isMeant })),
      // Pods matter only to Deployments that wait for their end, with the strategy Recreate.
      informers.of(client.resource("v1", "Pod")).mapped((pod) => {
        const setKey = controllerKey(pod, "ReplicaSet");
        const set = setKey === undefined ? undefined : setInformer.get(setKey);
        const key = set === undefined ? undefined : controllerKey(set, "Deployment");
        const deployment = key === undefined ? undefined : deployments.get(key);
        return deployment?.spec.strategy?.type === "Recreate" ? [keyOf(deployment)] : [];
      }),
    ],
    concurrency: 5,
    reconcile: (key, signal) => rollout.reconcile(key, signal),
  });
}

interface RolloutOptions extends Pick<ControllerContext, "clock" | "recorder"> {
  readonly resource: ResourceClient<Deployment>;
  readonly deployments: Informer<Deployment>;
  readonly setResource: ResourceClient<ReplicaSet>;
  readonly sets: Children<ReplicaSet>;
  readonly pods: Children<Pod>;
}

class Rollout {
  readonly #options: RolloutOptions;

  constructor(options: RolloutOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { deployments, resource, sets, pods, clock } = this.#options;
    const deployment = deployments.get(key);
    if (deployment === undefined) return undefined;
    const { uid = "", namespace } = deployment.metadata;
    await sets.settle(byController, uid, signal);
    const candidates = [
      ...sets.by(byController, uid),
      ...sets.by(byController, orphansIn(namespace)),
    ];
    const ours = claim(deployment, candidates, (set) => isMeant(deployment, set));
    if (!(await carryOutClaim(deployment, ours, { owners: resource, children: sets, signal }))) {
      return undefined;
    }
    // ReplicaSets that were just adopted have a new version.
    const kept = ours.kept.map((set) => sets.get(keyOf(set)) ?? set);
    const plan = planDeployment({
      deployment,
      sets: kept.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      hasPods: ({ metadata }) =>
        pods.by(byController, metadata.uid ?? "").some((pod) => !isFinishedPod(pod)),
      now: clock.now(),
    });
    await this.#carryOut(deployment, plan, signal);
    const { status = deployment.status } = plan;
    const late = deadlineIn(deployment.spec, status, clock.now());
    return againIn(late, sets.patience(byController, uid));
  }

  async #carryOut(
    deployment: Deployment,
    plan: DeploymentPlan,
    signal: AbortSignal,
  ): Promise<void> {
    const { sets, resource } = this.#options;
    if (!(await this.#create(deployment, plan, signal))) return;
    for (const set of plan.update) {
      await sets.update(set, signal);
      const resized = plan.resized.find((each) => each.set === set);
      if (resized !== undefined) this.#tell(deployment, resized);
    }
    for (const set of plan.remove) await sets.delete(set, { signal });
    const newest =
      plan.revision === undefined
        ? deployment
        : await this.#annotate(deployment, plan.revision, signal);
    if (plan.status === undefined) return;
    await resource.updateStatus({ ...newest, status: plan.status }, { signal });
  }

  /** Creates the new ReplicaSet, if any; returns `false` if its name is taken. */
  async #create(
    deployment: Deployment,
    { create }: DeploymentPlan,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (create === undefined) return true;
    const { sets, resource, setResource } = this.#options;
    try {
      const set = await sets.create(create, signal);
      const to = set.spec.replicas ?? 0;
      if (to > 0) this.#tell(deployment, { set, from: 0, to });
      return true;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = await setResource.get(placeOf(create as ReplicaSet), { signal });
      const isOurs = isControlledBy(present, deployment);
      // The ReplicaSet is ours, but not in the cache yet: the next reconciliation will find it.
      if (isOurs && isSameTemplate(present.spec.template, deployment.spec.template)) throw error;
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      const status = { ...deployment.status, collisionCount };
      await resource.updateStatus({ ...deployment, status }, { signal });
      return false;
    }
  }

  #annotate(deployment: Deployment, revision: string, signal: AbortSignal): Promise<Deployment> {
    const { uid, resourceVersion } = deployment.metadata;
    const annotations = { [revisionAnnotation]: revision };
    const merge = {
      metadata: {
        ...defined({ uid, resourceVersion }),
        annotations,
      },
    };
    return this.#options.resource.patch(deployment.metadata, { merge }, { signal });
  }

  #tell(deployment: Deployment, { set, from, to }: Resized): void {
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
    this.#options.recorder.record(deployment, {
      type: "Normal",
      reason: "ScalingReplicaSet",
      message,
    });
  }
}

function isMeant({ spec }: Deployment, set: ReplicaSet): boolean {
  return compileLabelSelector(spec.selector).matches(set);
}

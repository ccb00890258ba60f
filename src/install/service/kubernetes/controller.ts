import type { Client } from "../../../api/client/client.ts";
import { Controller } from "../../../api/client/controller.ts";
import type { InformerSettings, Informers } from "../../../api/client/informer.ts";
import { keyOf, splitKey } from "../../../api/client/objects.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { ClusterStore } from "../clusters/store.ts";
import { applyInstall, refuseInstall, withdrawInstall } from "./apply-install.ts";
import {
  type AgentClusterInstall,
  agentClusterInstalls,
  type ClusterDeployment,
  clusterDeployments,
} from "./objects.ts";
import { requestOf, requestProblem } from "./request.ts";
import { statusOf } from "./status.ts";

export interface InstallControllerOptions extends InformerSettings {
  readonly client: Client;
  readonly informers: Informers;
  readonly store: ClusterStore;
}

/** The interval after which clusters that were changed by other means are reset. */
const lookAgainMs = 60_000;

/** Reconciles clusters with AgentClusterInstall objects, which decide, and writes their statuses. */
export function installController(options: InstallControllerOptions): Part & Idle {
  const { client, informers, store, clock } = options;
  const resource = client.custom<AgentClusterInstall>(agentClusterInstalls);
  const installs = informers.of(resource);
  const deployments = informers.of(client.custom<ClusterDeployment>(clusterDeployments));
  const controller = new Controller({
    ...options,
    name: "agent-cluster-installs",
    sources: [installs, deployments.mapped((deployment) => referring(installs.list(), deployment))],
    async reconcile(key, signal) {
      const kube = splitKey(key);
      const install = installs.get(key);
      if (install === undefined) return withdrawInstall(store, kube);
      const { clusterDeploymentRef } = install.spec ?? {};
      const deployment = deployments.get(`${kube.namespace}/${clusterDeploymentRef?.name}`);
      const wrong = requestProblem(install, deployment);
      const outcome =
        wrong === undefined
          ? await applyInstall(store, kube, requestOf(install, deployment))
          : await refuseInstall(store, kube, wrong);
      const status = statusOf(install, outcome, new Date(clock.now()));
      if (!sameJson(status, install.status ?? null)) {
        await resource.updateStatus({ ...install, status }, { signal });
      }
      return { againInMs: lookAgainMs };
    },
  });
  return {
    name: controller.name,
    idle: () => controller.idle(),
    async run(signal) {
      // Objects that were deleted while no controller ran have left their clusters behind.
      for (const { namespace, name } of await store.kubeKeys()) {
        controller.enqueue(`${namespace}/${name}`);
      }
      await controller.run(signal);
    },
  };
}

interface Idle {
  /** Resolves when no object waits for a reconcile. */
  idle(): Promise<void>;
}

function referring(
  installs: readonly AgentClusterInstall[],
  { metadata }: ClusterDeployment,
): string[] {
  return installs
    .filter(({ metadata: { namespace } }) => namespace === metadata.namespace)
    .filter(({ spec }) => spec?.clusterDeploymentRef?.name === metadata.name)
    .map(keyOf);
}

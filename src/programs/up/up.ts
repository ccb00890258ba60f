// The cluster of `tandem up`: bringing it up, finding it, looking at it and taking it down.

export { namespacePath } from "./build-topology.ts";
export { cleanHost } from "./clean-host.ts";
export { markControlPlanes } from "./control-plane-role.ts";
export { enter, findCluster } from "./find-cluster.ts";
export { makeInfrastructure } from "./infrastructure.ts";
export { localCluster } from "./local-cluster.ts";
export { asOwner, clusterMachine } from "./machine.ts";
export { applyParts } from "./parts.ts";
export { dataPlaces } from "./places.ts";
export { missingPrograms } from "./prerequisites.ts";
export { innerKubeconfig, launcher } from "./programs.ts";
export { runShell } from "./run-shell.ts";
export { readStatus } from "./run-status.ts";
export { runSupervisor } from "./run-supervisor.ts";
export { runUp } from "./run-up.ts";
export type { ClusterStatus, NodeStatus, ProgramStatus } from "./status.ts";
export { takeDown } from "./take-down.ts";

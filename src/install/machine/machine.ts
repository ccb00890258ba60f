// A machine's role in a cluster: its services and their units, what is done to give it the role, and which
// versions work together.

export {
  type ClusterNetwork,
  clusterConfigMap,
  clusterData,
  readClusterData,
  routings,
} from "./cluster-network.ts";
export type { MachineFacts, UnitState } from "./facts.ts";
export { type InstallPlan, refused } from "./install-plan.ts";
export { readConfigValues } from "./merge-config.ts";
export { configPath, machinePlaces } from "./places.ts";
export { planAgent } from "./plan-agent.ts";
export {
  type EtcdPeer,
  etcdFiles,
  etcdPorts,
  memberNames,
  ownStore,
  peerUrl,
} from "./plan-etcd.ts";
export { planServer, serverUrl } from "./plan-server.ts";
export {
  describeRemoval,
  mountedBelow,
  ownPaths,
  planReset,
  type Removal,
  type ResetFacts,
} from "./reset-plan.ts";
export { restartedUnits, services, unitName } from "./services.ts";
export { leftBehind, nodeSkewProblem, upgradeProblem } from "./skew.ts";
export { formatUnit } from "./unit.ts";

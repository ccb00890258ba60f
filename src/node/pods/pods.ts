// The pods of a node: from Pod objects to sandboxes, containers, volumes, probes and status.

export { parseSysctlPatterns } from "./admission/sysctls.ts";
export type { PodMachine } from "./machine.ts";
export { openPods } from "./open.ts";
export type { PodsOptions, ProbeFamily } from "./options.ts";
export type {
  PodAddress,
  PodContainers,
  PodNetwork,
  PodNetworkRequest,
} from "./port.ts";
export type { MakeOptions, SandboxKeeper } from "./sandbox/keeper.ts";
export { readRecord, type SandboxRecord } from "./sandbox/record.ts";

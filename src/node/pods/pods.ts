// The pods of a node: from Pod objects to sandboxes, containers, volumes, probes and status.

export { parseSysctlPatterns } from "./admission/sysctls.ts";
export { openPods } from "./open.ts";
export type { PodsOptions, ProbeFamily } from "./options.ts";
export type { PodAddress, PodContainers, PodNetwork } from "./port.ts";
export { readRecord } from "./sandbox/record.ts";

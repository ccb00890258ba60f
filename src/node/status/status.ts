// The Node object of this machine: its addresses, capacity, conditions and lease.

export { addressesToKeep, findNodePlaces, type NodePlace, ownAddresses } from "./addresses.ts";
export { watchContainerPrograms } from "./container-programs.ts";
export { nodeStatus } from "./description.ts";
export { heartbeat } from "./heartbeat.ts";
export { keptAddresses } from "./kept-addresses.ts";
export { readSupplies, readSystemInfo } from "./machine.ts";
export { changedPodCidrs } from "./pod-cidrs.ts";
export { Readiness } from "./readiness.ts";
export { NodeRegistration } from "./registration.ts";
export { type FamilyState, ServicesState } from "./services-state.ts";

// The controllers and the scheduler, each ready to be put into a list that runs.

export { accountControllers } from "./accounts/controllers.ts";
export { autoscaling } from "./autoscaling/controller.ts";
export { certificateControllers } from "./certificates/controllers.ts";
export { chooseControllers } from "./choose.ts";
export type { ControllerContext, ControllerEntry } from "./context.ts";
export { disruption } from "./disruption/controller.ts";
export { runElected } from "./elected.ts";
export { endpointsControllers } from "./endpoints/controllers.ts";
export { garbageCollection } from "./garbage/garbage-collector.ts";
export { namespaceDeletion } from "./namespaces/namespace-controller.ts";
export { BuiltInProvider } from "./nodes/built-in-provider.ts";
export { refuseOverlap } from "./nodes/cidr-overlap.ts";
export { nodeControllers } from "./nodes/controllers.ts";
export { quotaCounting } from "./quota/controller.ts";
export { rightsOf } from "./rights.ts";
export { scheduling } from "./scheduler/controller.ts";
export { serviceRanges } from "./service-ranges/controller.ts";
export { storageControllers } from "./storage/controllers.ts";
export { workloadControllers } from "./workloads/controllers.ts";

// The controllers and the scheduler, each ready to be put into a list that runs.

export { bootstrapTokensController } from "./accounts/bootstrap-tokens-controller.ts";
export { serviceAccountsController } from "./accounts/service-accounts-controller.ts";
export { approvingController } from "./certificates/approving-controller.ts";
export { cleaningController } from "./certificates/cleaning-controller.ts";
export { signingController } from "./certificates/signing-controller.ts";
export { chooseControllers } from "./choose.ts";
export type { ControllerContext, ControllerEntry } from "./context.ts";
export { disruptionController } from "./disruption/controller.ts";
export { runElected } from "./elected.ts";
export { endpointsControllers } from "./endpoints/controllers.ts";
export { garbageCollector } from "./garbage/garbage-collector.ts";
export { namespaceController } from "./namespaces/namespace-controller.ts";
export { BuiltInProvider } from "./nodes/built-in-provider.ts";
export { refuseOverlap } from "./nodes/cidr-overlap.ts";
export { nodeControllers } from "./nodes/controllers.ts";
export { quotaController } from "./quota/controller.ts";
export { schedulerController } from "./scheduler/controller.ts";
export { workloadControllers } from "./workloads/controllers.ts";

// The controllers and the scheduler, each ready to be put into a list that runs.

export { createBootstrapTokensController } from "./accounts/bootstrap-tokens-controller.ts";
export { createServiceAccountsController } from "./accounts/service-accounts-controller.ts";
export { createAutoscalingController } from "./autoscaling/controller.ts";
export { createApprovingController } from "./certificates/approving-controller.ts";
export { createCleaningController } from "./certificates/cleaning-controller.ts";
export { createSigningController } from "./certificates/signing-controller.ts";
export { chooseControllers } from "./choose.ts";
export type { ControllerContext, ControllerEntry } from "./context.ts";
export { createDisruptionController } from "./disruption/controller.ts";
export { runElected } from "./elected.ts";
export { endpointsControllers } from "./endpoints/controllers.ts";
export { createGarbageCollector } from "./garbage/garbage-collector.ts";
export { createNamespaceController } from "./namespaces/namespace-controller.ts";
export { BuiltInProvider } from "./nodes/built-in-provider.ts";
export { refuseOverlap } from "./nodes/cidr-overlap.ts";
export { nodeControllers } from "./nodes/controllers.ts";
export { createQuotaController } from "./quota/controller.ts";
export { schedulerController } from "./scheduler/controller.ts";
export { createServiceRangesController } from "./service-ranges/controller.ts";
export { storageControllers } from "./storage/controllers.ts";
export { workloadControllers } from "./workloads/controllers.ts";

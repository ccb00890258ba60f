// Network policies: enforcing them in the kernel, showing what may reach a pod, and cleaning up.

export { cleanUp } from "./clean-up.ts";
export type { NamedPort, Peer, PodFacts, Policy } from "./plan/model.ts";
export type { PolicyState } from "./plan/policy-state.ts";
export { readNetworkPolicy } from "./plan/read-network-policy.ts";
export { type NodePolicies, openPolicies } from "./run-policy.ts";
export { defaultPolicySettings } from "./settings.ts";
export { denialText } from "./show/denial.ts";
export { type Explanation, explain } from "./show/explain.ts";
export { followDenials } from "./show/follow-denials.ts";
export { loadState, readableState } from "./show/load-state.ts";
export { type ShownRule, showPod } from "./show/show-pod.ts";

export { cleanUp } from "./clean-up.ts";
export { type NodePolicies, openPolicies } from "./run-policy.ts";
export { defaultPolicySettings } from "./settings.ts";
export { denialText } from "./show/denial.ts";
export { followDenials } from "./show/follow-denials.ts";
export { loadState } from "./show/load-state.ts";
export { type ShownRule, showPod } from "./show/show-pod.ts";

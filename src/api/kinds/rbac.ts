// Rules of roles that other parts need: which rights a rule gives.

export { aggregatedRules } from "./rbac/aggregate.ts";

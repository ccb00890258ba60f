export { aggregatedRules } from "./rbac/aggregate.ts";

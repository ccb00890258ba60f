// Rules of roles that other parts need: which rights a rule gives, and rules as short texts.

export { aggregatedRules } from "./rbac/aggregate.ts";
export { paths, read, readWrite, rule, write } from "./rbac/rule-text.ts";

// Custom schemas: the structural rules that a CustomResourceDefinition must keep, and the check of its
// expressions.

export { ruleErrors } from "./custom/rules/static-errors.ts";
export { structuralErrors } from "./custom/structural.ts";

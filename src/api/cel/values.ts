// Values, and the errors of compiling and evaluating.

export { HeavyEvaluation } from "./runtime/frame.ts";
export { CostLimitExceeded } from "./runtime/steps.ts";
export { CelError, type Value } from "./runtime/value.ts";
export { CelIssues } from "./syntax/source.ts";

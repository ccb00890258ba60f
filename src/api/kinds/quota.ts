// What objects take of the quotas of their namespace.

export {
  addUsage,
  type Counted,
  countName,
  isInScope,
  type Usage,
  unsaidResources,
  usageOf,
} from "./quota/usage.ts";

// Rules of ResourceQuotas that other parts need: how much of a namespace's quotas an object uses.

export {
  addUsage,
  type Counted,
  countName,
  isInScope,
  type Usage,
  unsaidResources,
  usageOf,
} from "./quota/usage.ts";

import { formatQuantity, parseQuantity } from "../../fields/quantity.ts";
import type { ResourceFieldSelector } from "../../types/core.ts";

/** Fills in the divisor of a variable or file that shows a resource of a container. */
export function defaultFieldReferences(reference: {
  resourceFieldRef?: ResourceFieldSelector;
}): void {
  const { resourceFieldRef } = reference;
  if (resourceFieldRef !== undefined) {
    resourceFieldRef.divisor = formatQuantity(parseQuantity(resourceFieldRef.divisor ?? "0"));
  }
}

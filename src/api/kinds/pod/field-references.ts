import type { ResourceFieldSelector } from "../../types/core.ts";
import { formatQuantity, parseQuantity } from "../quantity.ts";

/** Of a variable or a file that shows a field of the pod. */
export function defaultFieldReferences(reference: {
  resourceFieldRef?: ResourceFieldSelector;
}): void {
  const { resourceFieldRef } = reference;
  if (resourceFieldRef !== undefined) {
    resourceFieldRef.divisor = formatQuantity(parseQuantity(resourceFieldRef.divisor ?? "0"));
  }
}

import type { ObjectFieldSelector, ResourceFieldSelector } from "../../types/core.ts";
import { formatQuantity, parseQuantity } from "../quantity.ts";

/** Of a variable or a file that shows a field of the pod. */
export function defaultFieldReferences(reference: {
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
}): void {
  const { fieldRef, resourceFieldRef } = reference;
  if (fieldRef !== undefined) fieldRef.apiVersion ||= "v1";
  if (resourceFieldRef !== undefined) {
    resourceFieldRef.divisor = formatQuantity(parseQuantity(resourceFieldRef.divisor ?? "0"));
  }
}

// Conditions that nodes of ours report besides those that every node has.

import { type Family, families } from "../../base/net/family.ts";

/** The condition by which a node says whether the rules of services are in its kernel, in one family. */
export function servicesCondition(family: Family): string {
  return `tandem.internal/Services${family}Ready`;
}

/** The types of all such conditions. */
export const servicesConditions: readonly string[] = families.map(servicesCondition);

// What a role and its binding look like before they are objects.
import type { PolicyRule } from "./rbac-rule.ts";

export interface DefaultRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** A role of this namespace; without one it is a cluster role. */
  readonly namespace?: string;
  /** The label `rbac.authorization.k8s.io/aggregate-to-NAME` that the role carries. */
  readonly aggregateTo?: string;
  /** The roles with the label of this name give it its rules. */
  readonly aggregates?: string;
  /** What the binding is called, where that is not the role's name. */
  readonly binding?: string;
  /** Users, groups and service accounts (`NAMESPACE/NAME`) that get it from the start. */
  readonly groups?: readonly string[];
  readonly users?: readonly string[];
  readonly accounts?: readonly string[];
}

export function aggregationLabel(name: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${name}`;
}

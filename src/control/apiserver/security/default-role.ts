// A default role with its binding, before they become objects.
import type { PolicyRule } from "./rbac-rule.ts";

export interface DefaultRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** The namespace of the role; without one it is a cluster role. */
  readonly namespace?: string;
  /** The label `rbac.authorization.k8s.io/aggregate-to-NAME` that the role carries. */
  readonly aggregateTo?: string;
  /** The name in the label of the roles that this one aggregates. */
  readonly aggregates?: string;
  /** The name of the binding, where it differs from the role's. */
  readonly binding?: string;
  /** The groups, users and service accounts (`NAMESPACE/NAME`) that are bound to the role. */
  readonly groups?: readonly string[];
  readonly users?: readonly string[];
  readonly accounts?: readonly string[];
}

export function aggregationLabel(name: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${name}`;
}

import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../../types/policy.ts";
import { atMostAll, countOrShare } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, integer, nameColumn, table, text } from "../table.ts";
import { countErrors } from "../workloads/replica-counts.ts";

export const podDisruptionBudget: Kind<PodDisruptionBudget> = specAndStatus<PodDisruptionBudget>({
  initialStatus: () => ({
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  }),
  validate: ({ spec }) => specErrors(spec),
  validateStatusUpdate: ({ status }) =>
    countErrors(status, ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]),
  table: table<PodDisruptionBudget>([
    nameColumn,
    text("Min Available", ({ spec }) => String(spec.minAvailable ?? "N/A")),
    text("Max Unavailable", ({ spec }) => String(spec.maxUnavailable ?? "N/A")),
    integer("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed),
    ageColumn,
  ]),
});

function specErrors(spec: PodDisruptionBudgetSpec): FieldError[] {
  const { minAvailable, maxUnavailable } = spec;
  const isBoth = minAvailable !== undefined && maxUnavailable !== undefined;
  const detail = "minAvailable and maxUnavailable cannot be both set";
  return [
    ...(isBoth ? [invalid("spec", spec, detail)] : []),
    ...countOrShare("spec.minAvailable", minAvailable),
    ...atMostAll("spec.minAvailable", minAvailable),
    ...countOrShare("spec.maxUnavailable", maxUnavailable),
    ...atMostAll("spec.maxUnavailable", maxUnavailable),
    ...validateLabelSelector(spec.selector, "spec.selector"),
  ];
}

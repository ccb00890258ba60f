// Taints and tolerations: a taint keeps pods off a node that do not tolerate it.

import type { Taint, Toleration } from "../../../api/types/core.ts";

export type TaintEffect = "NoSchedule" | "PreferNoSchedule" | "NoExecute";

/** Returns the first taint with one of the effects that nothing tolerates. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[],
  effects: readonly TaintEffect[],
): Taint | undefined {
  return taints?.find(
    (taint) =>
      (effects as readonly string[]).includes(taint.effect) &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  // An empty key matches all taints, but only with the operator Exists.
  return key !== "" && value === (taint.value ?? "");
}

// Judges a failed pod by the job's podFailurePolicy.

import type { Job, PodFailurePolicyRule } from "../../../../api/types/batch.ts";
import type { ContainerStatus, Pod } from "../../../../api/types/core.ts";

export type FailureAction = "Count" | "Ignore" | "FailJob" | "FailIndex";

export interface Judgement {
  readonly action: FailureAction;
  /** The reason, if the whole job or index fails for it. */
  readonly message: string;
}

/** Judges by the first rule that matches the pod; without one the failure counts. */
export function judgeFailure({ spec }: Job, pod: Pod): Judgement {
  const rules = spec.podFailurePolicy?.rules ?? [];
  for (const [index, rule] of rules.entries()) {
    const reason = matchOf(rule, pod);
    if (reason === undefined) continue;
    const { action } = rule;
    return {
      action: action,
      message: `${reason} matching ${action} rule at index ${index}`,
    };
  }
  return { action: "Count", message: "" };
}

function matchOf({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod) {
  const { namespace, name } = pod.metadata;
  const { status = {} } = pod;
  if (onExitCodes !== undefined) {
    const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    const found = statuses.find((each) => isMeant(each, onExitCodes));
    if (found === undefined) return undefined;
    const { exitCode } = found.state?.terminated ?? {};
    return `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`;
  }
  const condition = status.conditions?.find((each) =>
    (onPodConditions ?? []).some(
      (pattern) => pattern.type === each.type && (pattern.status ?? "True") === each.status,
    ),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

type ExitCodes = NonNullable<PodFailurePolicyRule["onExitCodes"]>;

/**
 * Whether the rule matches the container; one that ended with 0 is no failure, whatever codes the rule names.
 */
function isMeant({ name, state }: ContainerStatus, wanted: ExitCodes): boolean {
  const code = state?.terminated?.exitCode ?? 0;
  if (code === 0 || (wanted.containerName ?? name) !== name) return false;
  return wanted.values.includes(code) === (wanted.operator === "In");
}

// How fast an autoscaler may go: stabilization, policies and bounds, as `spec.behavior` sets them.

import type {
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from "../../../api/types/autoscaling-v2.ts";

/** What an autoscaler remembers: what it wanted, and by how much it has changed the number. */
export interface History {
  readonly recommendations: readonly { readonly at: number; readonly replicas: number }[];
  readonly changes: readonly { readonly at: number; readonly by: number }[];
}

export interface Bounded {
  readonly replicas: number;
  /** Why the number is not the proposed one; `undefined` if it is. */
  readonly limit?: { readonly reason: string; readonly message: string };
  readonly isStabilized: boolean;
}

const defaults: Readonly<
  Record<"scaleUp" | "scaleDown", Required<Omit<HPAScalingRules, "tolerance">>>
> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  },
};

export interface Proposed {
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly current: number;
  readonly proposed: number;
  readonly history: History;
  readonly now: number;
}

export function boundReplicas(state: Proposed): Bounded {
  const stable = stabilized(state);
  const isStabilized = stable !== state.proposed;
  const { current } = state;
  if (stable === current) return { ...withinBounds(state, stable), isStabilized };
  const direction = stable > current ? "scaleUp" : "scaleDown";
  const rules = { ...defaults[direction], ...state.spec.behavior?.[direction] };
  const limit = limitOf(state, rules, direction);
  const isLimited = direction === "scaleUp" ? stable > limit : stable < limit;
  if (!isLimited) return { ...withinBounds(state, stable), isStabilized };
  const words = direction === "scaleUp" ? "increasing faster than" : "decreasing faster than";
  const bounded = withinBounds(state, limit);
  return {
    replicas: bounded.replicas,
    isStabilized,
    limit: bounded.limit ?? {
      reason: direction === "scaleUp" ? "ScaleUpLimit" : "ScaleDownLimit",
      message: `the desired replica count is ${words} the maximum scale rate`,
    },
  };
}

/** Forgets what no rule looks at any more. */
export function recentHistory(
  { recommendations, changes }: History,
  spec: HorizontalPodAutoscalerSpec,
  now: number,
): History {
  const rules = (["scaleUp", "scaleDown"] as const).map((direction) => ({
    ...defaults[direction],
    ...spec.behavior?.[direction],
  }));
  const window = Math.max(
    ...rules.map(({ stabilizationWindowSeconds }) => stabilizationWindowSeconds),
  );
  const period = Math.max(
    ...rules.flatMap(({ policies }) => policies.map(({ periodSeconds }) => periodSeconds)),
    0,
  );
  return {
    recommendations: recommendations.filter(({ at }) => at > now - 1_000 * window),
    changes: changes.filter(({ at }) => at > now - 1_000 * period),
  };
}

/** Returns the number that recommendations of the window agree on: the least for more, the most for fewer. */
function stabilized({ spec, current, proposed, history, now }: Proposed): number {
  const within = (direction: "scaleUp" | "scaleDown") => {
    const { stabilizationWindowSeconds: seconds } = {
      ...defaults[direction],
      ...spec.behavior?.[direction],
    };
    const since = now - 1_000 * seconds;
    return history.recommendations.filter(({ at }) => at > since).map(({ replicas }) => replicas);
  };
  const least = Math.min(proposed, ...within("scaleUp"));
  const most = Math.max(proposed, ...within("scaleDown"));
  return Math.min(Math.max(current, least), most);
}

function limitOf(
  { current, history, now }: Proposed,
  { policies, selectPolicy }: Required<Omit<HPAScalingRules, "tolerance">>,
  direction: "scaleUp" | "scaleDown",
): number {
  if (selectPolicy === "Disabled") return current;
  const isUp = direction === "scaleUp";
  const limits = policies.map((policy) => {
    const changed = changedWithin(history, policy, { isUp, now });
    const start = isUp ? current - changed : current + changed;
    const step = policy.type === "Pods" ? policy.value : (start * policy.value) / 100;
    return isUp ? Math.ceil(start + step) : Math.floor(start - step);
  });
  const takesMost = selectPolicy !== "Min";
  return isUp === takesMost ? Math.max(...limits) : Math.min(...limits);
}

function changedWithin(
  { changes }: History,
  { periodSeconds }: HPAScalingPolicy,
  { isUp, now }: { readonly isUp: boolean; readonly now: number },
): number {
  return changes
    .filter(({ at, by }) => at > now - 1_000 * periodSeconds && by > 0 === isUp)
    .reduce((sum, { by }) => sum + Math.abs(by), 0);
}

function withinBounds({ spec }: Proposed, replicas: number): Omit<Bounded, "isStabilized"> {
  const { minReplicas = 1, maxReplicas } = spec;
  if (replicas < minReplicas) {
    const message = "the desired replica count is less than the minimum replica count";
    return { replicas: minReplicas, limit: { reason: "TooFewReplicas", message } };
  }
  if (replicas > maxReplicas) {
    const message = "the desired replica count is more than the maximum replica count";
    return { replicas: maxReplicas, limit: { reason: "TooManyReplicas", message } };
  }
  return { replicas };
}

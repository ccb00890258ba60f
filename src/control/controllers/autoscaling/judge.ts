// What the metrics of an autoscaler say together: the most that any of them asks for.

import { formatQuantity, nanosOf } from "../../../api/fields/quantity.ts";
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "../../../api/types/autoscaling-v2.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { PodMetrics } from "../../../api/types/metrics.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { type Proposal, proposeReplicas } from "./replicas.ts";

export interface Judgement {
  /** The wanted number; `undefined` if no metric says anything. */
  readonly replicas: number | undefined;
  /** The metric that asks for the most, in words. */
  readonly cause: string;
  readonly current: readonly MetricStatus[];
  readonly problem?: { readonly reason: string; readonly message: string };
}

export interface Situation {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly replicas: number;
  readonly pods: readonly Pod[];
  readonly metrics: readonly PodMetrics[];
}

const usualMetrics: readonly MetricSpec[] = [
  {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
  },
];
const usualTolerance = 0.1;

export function judgeMetrics(situation: Situation): Judgement {
  const { spec } = situation.autoscaler;
  const specs = (spec.metrics ?? []).length === 0 ? usualMetrics : (spec.metrics ?? []);
  const current: MetricStatus[] = [];
  let best: { replicas: number; cause: string } | undefined;
  let problem: Judgement["problem"];
  for (const metric of specs) {
    try {
      const { proposal, status, cause } = judgeOne(metric, situation);
      current.push(status);
      if (best === undefined || proposal.replicas > best.replicas) {
        best = { replicas: proposal.replicas, cause };
      }
    } catch (error) {
      problem ??= { reason: `FailedGet${metric.type}Metric`, message: messageOf(error) };
    }
  }
  // With a metric unknown, the others may ask for more, but not for less.
  const isCertain =
    problem === undefined || (best !== undefined && best.replicas > situation.replicas);
  return {
    replicas: isCertain ? best?.replicas : undefined,
    cause: best?.cause ?? "",
    current,
    ...(problem === undefined ? {} : { problem }),
  };
}

function judgeOne(metric: MetricSpec, { autoscaler, replicas, pods, metrics }: Situation) {
  const { type } = metric;
  const source = type === "ContainerResource" ? metric.containerResource : metric.resource;
  if ((type !== "Resource" && type !== "ContainerResource") || source === undefined) {
    const api = type === "External" ? "external.metrics.k8s.io" : "custom.metrics.k8s.io";
    throw new Error(`unable to get ${type} metric: no API ${api} is served in this cluster`);
  }
  const { name, target } = source;
  const container = type === "ContainerResource" ? metric.containerResource?.container : undefined;
  const { scaleUp, scaleDown } = autoscaler.spec.behavior ?? {};
  const proposal = proposeReplicas({
    resource: name,
    container,
    target: targetOf(target),
    replicas,
    pods,
    metrics,
    tolerance: { up: toleranceOf(scaleUp?.tolerance), down: toleranceOf(scaleDown?.tolerance) },
  });
  const value = valueOf(proposal, name);
  const status: MetricStatus =
    container === undefined
      ? { type, resource: { name, current: value } }
      : { type, containerResource: { name, container, current: value } };
  const what = "percent" in proposal ? "resource utilization (percentage of request)" : "resource";
  const words = container === undefined ? `${name} ${what}` : `${name} container ${what}`;
  const side = proposal.replicas > replicas ? "above" : "below";
  return {
    proposal,
    status,
    cause: proposal.replicas === replicas ? "All metrics below target" : `${words} ${side} target`,
  };
}

function targetOf({ averageUtilization, averageValue, value }: MetricTarget) {
  if (averageUtilization !== undefined) return { percent: averageUtilization };
  const amount = averageValue ?? value;
  if (amount === undefined) {
    throw new Error(
      "invalid metric source: neither a utilization target nor a value target was set",
    );
  }
  return { nanos: nanosOf(amount) };
}

function valueOf({ percent, nanos }: Proposal, resource: string) {
  const unit = resource === "cpu" ? 1_000_000n : 1_000_000_000n;
  const rounded = ((nanos + unit - 1n) / unit) * unit;
  const averageValue = formatQuantity({ nanos: rounded, notation: "decimal" });
  return { averageValue, ...(percent === undefined ? {} : { averageUtilization: percent }) };
}

function toleranceOf(text: string | undefined): number {
  return text === undefined ? usualTolerance : Number(nanosOf(text)) / 1e9;
}

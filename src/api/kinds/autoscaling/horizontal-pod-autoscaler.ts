import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricStatus,
} from "../../types/autoscaling-v2.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, count, nameColumn, table, text } from "../table.ts";

const shownMetrics = 2;

export const horizontalPodAutoscaler: Kind<HorizontalPodAutoscaler> =
  specAndStatus<HorizontalPodAutoscaler>({
    hasGeneration: false,
    default({ spec }) {
      if ((spec.metrics ?? []).length > 0) return;
      const target = { type: "Utilization", averageUtilization: 80 };
      spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
    },
    initialStatus: () => ({ desiredReplicas: 0, currentMetrics: [] }),
    validate: ({ spec }) => specErrors(spec),
    table: table<HorizontalPodAutoscaler>([
      nameColumn,
      text("Reference", ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`),
      text("Targets", metricsText),
      text("MinPods", ({ spec }) => String(spec.minReplicas ?? "<unset>")),
      count("MaxPods", ({ spec }) => spec.maxReplicas),
      count("Replicas", ({ status }) => status?.currentReplicas),
      ageColumn,
    ]),
  });

function specErrors(spec: HorizontalPodAutoscalerSpec): FieldError[] {
  const { minReplicas, maxReplicas } = spec;
  const field = "spec.maxReplicas";
  return [
    ...(minReplicas !== undefined && minReplicas < 1
      ? [invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1")]
      : []),
    ...(maxReplicas === 0 ? [required(field, "must be set and greater than 0")] : []),
    ...(maxReplicas < 0 ? [invalid(field, maxReplicas, "must be greater than or equal to 1")] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid(field, maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
    ...(spec.metrics ?? []).flatMap((metric, index) => metricErrors(metric, index)),
  ];
}

const sources = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
  External: "external",
} as const;

/** Checks that a metric has the source that its type names, and no other. */
function metricErrors(metric: MetricSpec, index: number): FieldError[] {
  const path = `spec.metrics[${index}]`;
  const wanted = sources[metric.type];
  if (wanted === undefined || metric[wanted] !== undefined) return [];
  const detail = `must populate information for the given metric source`;
  return [required(`${path}.${wanted}`, detail)];
}

function metricsText({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec.metrics ?? [];
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => metricText(metric, status?.currentMetrics?.[index]));
  const shown = texts.slice(0, shownMetrics).join(", ");
  const more = texts.length - shownMetrics;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

function metricText(metric: MetricSpec, state: MetricStatus | undefined): string {
  const key = sources[metric.type];
  const target = metric[key]?.target;
  const current = state?.[key]?.current;
  const name = metric.resource?.name ?? metric.containerResource?.name;
  const prefix = name === undefined ? "" : `${name}: `;
  if (target === undefined) return "<unknown type>";
  if (target.averageValue !== undefined) {
    const isAverage = metric.type === "External" || metric.type === "Object";
    const suffix = isAverage ? " (avg)" : "";
    return `${prefix}${current?.averageValue ?? "<unknown>"}/${target.averageValue}${suffix}`;
  }
  if (name === undefined) return `${current?.value ?? "<unknown>"}/${target.value ?? "0"}`;
  const share = (value: number | undefined) => (value === undefined ? undefined : `${value}%`);
  const now = share(current?.averageUtilization) ?? "<unknown>";
  return `${prefix}${now}/${share(target.averageUtilization) ?? "<auto>"}`;
}

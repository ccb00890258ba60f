// Conversion of HorizontalPodAutoscalers to and from autoscaling/v1, which has one target: CPU utilization.
// Other fields are kept in annotations, as JSON.

import { typeNamed } from "../../../api/schema/registry.ts";
import { validate } from "../../../api/schema/validate.ts";
import type { HorizontalPodAutoscaler as Old } from "../../../api/types/autoscaling.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
} from "../../../api/types/autoscaling-v2.ts";
import { defined } from "../../../base/json/defined.ts";
import { isParseError } from "../../../base/json/error.ts";
import { parseJson } from "../../../base/json/parse-json.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";
const names = ["metrics", "behavior", "current-metrics", "conditions"] as const;
type AnnotationName = (typeof names)[number];

const annotationTypes: Readonly<Record<AnnotationName, { type: string; isList: boolean }>> = {
  metrics: { type: "MetricSpec", isList: true },
  behavior: { type: "HorizontalPodAutoscalerBehavior", isList: false },
  "current-metrics": { type: "MetricStatus", isList: true },
  conditions: { type: "HorizontalPodAutoscalerCondition", isList: true },
};

/** An autoscaler as requests have it: any field may be missing. */
type Given = Omit<Old, "spec" | "metadata"> & {
  readonly spec?: Old["spec"];
  readonly metadata?: Old["metadata"];
};

export function storedAutoscaler(object: Given): HorizontalPodAutoscaler {
  const { annotations = {}, ...metadata } = object.metadata ?? ({} as Old["metadata"]);
  const { targetCPUUtilizationPercentage: share, ...spec } = object.spec ?? ({} as Old["spec"]);
  const { currentCPUUtilizationPercentage: current, ...status } = object.status ?? {
    currentReplicas: 0,
    desiredReplicas: 0,
  };
  const kept = Object.entries(annotations).filter(
    ([key]) => !names.some((name) => key === prefix + name),
  );
  const read = (name: AnnotationName) => parsed(annotations[prefix + name], name);
  const metrics = [
    ...(share === undefined ? [] : [cpuMetric(share)]),
    ...((read("metrics") ?? []) as MetricSpec[]),
  ];
  const currentMetrics = [
    ...(current === undefined ? [] : [cpuStatus(current)]),
    ...((read("current-metrics") ?? []) as MetricStatus[]),
  ];
  const behavior = read("behavior") as HorizontalPodAutoscalerSpec["behavior"];
  const conditions = read("conditions") as HorizontalPodAutoscalerStatus["conditions"];
  return {
    ...object,
    apiVersion: "autoscaling/v2",
    metadata: {
      ...metadata,
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
    spec: {
      ...spec,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...defined({ behavior }),
    },
    status: {
      ...status,
      currentMetrics,
      ...defined({ conditions }),
    },
  };
}

export function servedAutoscaler(object: HorizontalPodAutoscaler): Old {
  const { metrics = [], behavior, ...spec } = object.spec;
  const { currentMetrics = [], conditions, ...status } = object.status ?? { desiredReplicas: 0 };
  const cpu = metrics.find(isCpuShare);
  const current = currentMetrics.find(({ resource }) => resource?.name === "cpu");
  const values = {
    metrics: metrics.filter((metric) => metric !== cpu),
    behavior,
    "current-metrics": currentMetrics.filter((metric) => metric !== current),
    conditions,
  };
  const added = names.flatMap((name) => {
    const value = values[name];
    const isNothing = value === undefined || (Array.isArray(value) && value.length === 0);
    return isNothing ? [] : [[prefix + name, JSON.stringify(value)] as const];
  });
  const annotations = { ...object.metadata.annotations, ...Object.fromEntries(added) };
  const share = cpu?.resource?.target.averageUtilization;
  const used = current?.resource?.current.averageUtilization;
  return {
    ...object,
    apiVersion: "autoscaling/v1",
    metadata: {
      ...object.metadata,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: { ...spec, ...defined({ targetCPUUtilizationPercentage: share }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...defined({ currentCPUUtilizationPercentage: used }),
    },
  };
}

function isCpuShare({ type, resource }: MetricSpec): boolean {
  return (
    type === "Resource" &&
    resource?.name === "cpu" &&
    resource.target.averageUtilization !== undefined
  );
}

function cpuMetric(averageUtilization: number): MetricSpec {
  const target = { type: "Utilization", averageUtilization };
  return { type: "Resource", resource: { name: "cpu", target } };
}

function cpuStatus(averageUtilization: number): MetricStatus {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } };
}

/** Parses an annotation; `undefined` when it does not hold what its type requires. */
function parsed(text: string | undefined, name: AnnotationName): unknown {
  if (text === undefined) return undefined;
  const { type, isList } = annotationTypes[name];
  const schema = typeNamed(`io.k8s.api.autoscaling.v2.${type}`);
  try {
    const value = parseJson(text);
    const elements: readonly unknown[] = isList ? (Array.isArray(value) ? value : [null]) : [value];
    const fits = elements.every(
      (element) => schema && validate(schema, element, { required: true }).length === 0,
    );
    return fits ? value : undefined;
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

// What a node and its containers use, and the forms in which kubelets tell it.

import { metricsContentType } from "../../base/program/metrics.ts";
import { cadvisorMetrics, resourceMetrics } from "./prometheus.ts";
import { summaryOf } from "./summary.ts";
import { UsageMeter } from "./usage.ts";

export interface StatsAnswer {
  readonly type: string;
  readonly body: string;
}

/** Answers the paths of statistics; `undefined` for any other path. */
export type StatsHandler = (path: string) => Promise<StatsAnswer | undefined>;

type Options = ConstructorParameters<typeof UsageMeter>[0];

export function openStats(options: Options): StatsHandler {
  const meter = new UsageMeter(options);
  return async (path) => {
    if (path === "/stats/summary") {
      const summary = summaryOf(options.node, await meter.measure());
      return { type: "application/json", body: JSON.stringify(summary) };
    }
    if (path === "/metrics/resource") {
      return { type: metricsContentType, body: resourceMetrics(await meter.measure()) };
    }
    if (path === "/metrics/cadvisor") {
      return { type: metricsContentType, body: cadvisorMetrics(await meter.measure()) };
    }
    return undefined;
  };
}

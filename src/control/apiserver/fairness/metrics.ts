// Metrics of flow control, under the names they have in Kubernetes.
import type { Registry } from "../../../base/program/metrics.ts";
import type { Level } from "./level.ts";

interface Names {
  readonly level: string;
  readonly schema: string;
}

export interface FlowMetrics {
  dispatched(names: Names): void;
  rejected(names: Names, reason: string): void;
}

export function flowMetrics(registry: Registry, levels: ReadonlyMap<string, Level>): FlowMetrics {
  const dispatched = registry.counter("apiserver_flowcontrol_dispatched_requests_total", {
    help: "Requests that were let through, by priority level and flow schema.",
    labels: ["priority_level", "flow_schema"],
  });
  const rejected = registry.counter("apiserver_flowcontrol_rejected_requests_total", {
    help: "Requests that were refused, by priority level, flow schema and reason.",
    labels: ["priority_level", "flow_schema", "reason"],
  });
  const gauges = {
    executing: registry.gauge("apiserver_flowcontrol_current_executing_requests", {
      help: "Requests under way, by priority level.",
      labels: ["priority_level"],
    }),
    waiting: registry.gauge("apiserver_flowcontrol_current_inqueue_requests", {
      help: "Requests that wait for a seat, by priority level.",
      labels: ["priority_level"],
    }),
    seats: registry.gauge("apiserver_flowcontrol_nominal_limit_seats", {
      help: "Seats that are guaranteed to a priority level.",
      labels: ["priority_level"],
    }),
  };
  registry.beforeRender(() => {
    for (const [name, level] of levels) {
      gauges.executing.with(name).set(level.executing);
      gauges.waiting.with(name).set(level.waiting);
      gauges.seats.with(name).set(level.limits.nominal);
    }
  });
  return {
    dispatched: ({ level, schema }) => dispatched.with(level, schema).increment(),
    rejected: ({ level, schema }, reason) => rejected.with(level, schema, reason).increment(),
  };
}

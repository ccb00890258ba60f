// The metrics of clients, under the names that dashboards for Kubernetes know.

import type { Counter, Gauge, Histogram } from "../../base/program/metric-kinds.ts";
import type { Labelled, Registry } from "../../base/program/metrics.ts";

export interface ClientMetrics {
  readonly requests: Labelled<Counter, readonly ["method", "outcome"]>;
  readonly queueDepth: Labelled<Gauge, readonly ["name"]>;
  readonly queueAdds: Labelled<Counter, readonly ["name"]>;
  readonly queueRetries: Labelled<Counter, readonly ["name"]>;
  readonly queueWait: Labelled<Histogram, readonly ["name"]>;
  readonly queueWork: Labelled<Histogram, readonly ["name"]>;
  readonly informerObjects: Labelled<Gauge, readonly ["name"]>;
  readonly informerLists: Labelled<Counter, readonly ["name"]>;
  readonly informerWatches: Labelled<Counter, readonly ["name"]>;
  readonly leading: Labelled<Gauge, readonly ["name"]>;
  readonly eventsDropped: Counter;
}

/** The metrics of a registry: one set, shared by all clients of a process. */
export function clientMetrics(registry: Registry): ClientMetrics {
  const known = byRegistry.get(registry);
  if (known !== undefined) return known;
  const metrics = register(registry);
  byRegistry.set(registry, metrics);
  return metrics;
}

const byRegistry = new WeakMap<Registry, ClientMetrics>();

function register(registry: Registry): ClientMetrics {
  const counter = (name: string, help: string) =>
    registry.counter(name, { help, labels: ["name"] });
  const gauge = (name: string, help: string) => registry.gauge(name, { help, labels: ["name"] });
  const histogram = (name: string, help: string) =>
    registry.histogram(name, { help, labels: ["name"] });
  return {
    requests: registry.counter("rest_client_requests_total", {
      help: "Requests to the API server, by method and outcome: success, or why not.",
      labels: ["method", "outcome"],
    }),
    queueDepth: gauge("workqueue_depth", "Keys that wait for their turn."),
    queueAdds: counter("workqueue_adds_total", "Keys that were queued."),
    queueRetries: counter("workqueue_retries_total", "Keys that were queued after a failure."),
    queueWait: histogram("workqueue_queue_duration_seconds", "How long keys wait."),
    queueWork: histogram("workqueue_work_duration_seconds", "How long the work on a key takes."),
    informerObjects: gauge("informer_objects", "Objects an informer holds."),
    informerLists: counter("informer_lists_total", "How often an informer read everything."),
    informerWatches: counter("informer_watches_total", "How often an informer began to watch."),
    leading: gauge("leader_election_master_status", "1 while this process leads."),
    eventsDropped: registry.counter("events_dropped_total", {
      help: "Events that were not recorded, since there were too many or none were taken.",
    }),
  };
}

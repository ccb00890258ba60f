import type { Counter, Gauge, Histogram } from "../../../base/program/metric-kinds.ts";
import type { Labelled, Registry } from "../../../base/program/metrics.ts";

type ByFamily<M> = Labelled<M, readonly ["family"]>;

export interface ProxyMetrics {
  readonly syncSeconds: Labelled<Histogram, readonly ["family", "kind"]>;
  readonly syncErrors: ByFamily<Counter>;
  readonly repairs: ByFamily<Counter>;
  readonly frontends: ByFamily<Gauge>;
  readonly staleFlows: ByFamily<Counter>;
  readonly lastSync: ByFamily<Gauge>;
  readonly rules: ByFamily<Gauge>;
  readonly isFailing: ByFamily<Gauge>;
  readonly syncedRevision: Labelled<Gauge, readonly ["family", "resource"]>;
  readonly problems: Gauge;
}

export function registerProxyMetrics(registry: Registry): ProxyMetrics {
  const labels = ["family"] as const;
  return {
    syncSeconds: registry.histogram("tandem_proxy_sync_seconds", {
      help: "How long it takes to bring the kernel up to date, by a change or by a replacement.",
      labels: ["family", "kind"],
    }),
    syncErrors: registry.counter("tandem_proxy_sync_errors_total", {
      help: "How often the kernel could not be brought up to date.",
      labels,
    }),
    repairs: registry.counter("tandem_proxy_repairs_total", {
      help: "How often somebody else had removed the rules.",
      labels,
    }),
    frontends: registry.gauge("tandem_proxy_frontends", {
      help: "Places that services are reached at.",
      labels,
    }),
    staleFlows: registry.counter("tandem_proxy_stale_flows_total", {
      help: "Flows of datagrams that were forgotten, since nobody serves them any more.",
      labels,
    }),
    lastSync: registry.gauge("tandem_proxy_last_sync_timestamp_seconds", {
      help: "When the kernel was last brought up to date.",
      labels,
    }),
    rules: registry.gauge("tandem_proxy_rules", {
      help: "Rules, or elements of sets, that services have in the kernel.",
      labels,
    }),
    isFailing: registry.gauge("tandem_proxy_failing", {
      help: "1 while the kernel is not up to date, since that has failed.",
      labels,
    }),
    syncedRevision: registry.gauge("tandem_proxy_synced_revision", {
      help: "The resource version up to which changes are in the kernel, by resource.",
      labels: ["family", "resource"],
    }),
    problems: registry.gauge("tandem_proxy_services_with_problems", {
      help: "Services of which a part cannot be served.",
    }),
  };
}

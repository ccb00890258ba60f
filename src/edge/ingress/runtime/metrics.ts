import type { Registry } from "../../../base/program/metrics.ts";

export type IngressMetrics = ReturnType<typeof ingressMetrics>;

export function ingressMetrics(registry: Registry) {
  return {
    reloads: registry.counter("tandem_ingress_reloads_total", {
      help: "New configurations put into force.",
    }),
    reloadTime: registry.histogram("tandem_ingress_reload_seconds", {
      help: "How long it took until requests were served by a new configuration.",
    }),
    refusals: registry.counter("tandem_ingress_refused_configurations_total", {
      help: "Configurations that nginx did not accept.",
    }),
    crashes: registry.counter("tandem_ingress_crashes_total", {
      help: "How often nginx has ended by itself.",
    }),
    served: registry.gauge("tandem_ingress_served", { help: "Ingresses that are served." }),
    troubled: registry.gauge("tandem_ingress_with_problems", {
      help: "Ingresses that are not served as they are written.",
    }),
  };
}

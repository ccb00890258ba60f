import type { Counter, Gauge, Histogram } from "../../../base/program/metric-kinds.ts";
import type { Labelled, Registry } from "../../../base/program/metrics.ts";

type ByFamily<M> = Labelled<M, readonly ["family"]>;

export interface PolicyMetrics {
  readonly syncSeconds: Labelled<Histogram, readonly ["family", "kind"]>;
  readonly syncErrors: ByFamily<Counter>;
  readonly repairs: ByFamily<Counter>;
  readonly subjects: ByFamily<Gauge>;
  readonly elements: ByFamily<Gauge>;
  readonly endedFlows: ByFamily<Counter>;
  readonly isFailing: ByFamily<Gauge>;
  readonly policies: Gauge;
  readonly denied: Labelled<Counter, readonly ["family", "direction", "policy", "rule", "mode"]>;
}

export function registerPolicyMetrics(registry: Registry): PolicyMetrics {
  const labels = ["family"] as const;
  return {
    syncSeconds: registry.histogram("tandem_policy_sync_seconds", {
      help: "How long it takes to bring the kernel up to date, by a change or by a replacement.",
      labels: ["family", "kind"],
    }),
    syncErrors: registry.counter("tandem_policy_sync_errors_total", {
      help: "How often the kernel could not be brought up to date.",
      labels,
    }),
    repairs: registry.counter("tandem_policy_repairs_total", {
      help: "How often somebody else had changed the rules.",
      labels,
    }),
    subjects: registry.gauge("tandem_policy_subjects", {
      help: "Addresses of this node's pods that have policies.",
      labels,
    }),
    elements: registry.gauge("tandem_policy_elements", {
      help: "Elements of sets and maps that policies have in the kernel.",
      labels,
    }),
    endedFlows: registry.counter("tandem_policy_ended_flows_total", {
      help: "Connections that were ended, since a policy has come to deny them.",
      labels,
    }),
    isFailing: registry.gauge("tandem_policy_failing", {
      help: "1 while the kernel is not up to date, since that has failed.",
      labels,
    }),
    policies: registry.gauge("tandem_policy_policies", { help: "Policies of the whole cluster." }),
    denied: registry.counter("tandem_policy_denied_packets_total", {
      help: "Packets that were denied, or would have been in audit mode, by the policy and rule; the rule is empty where no rule of the policies lets them pass.",
      labels: ["family", "direction", "policy", "rule", "mode"],
    }),
  };
}

// Alerts for Prometheus, on the metrics that our programs have.

import { stringify } from "yaml";
import { ours } from "./ours.ts";

interface Alert {
  readonly name: string;
  readonly severity: "critical" | "warning";
  readonly expr: string;
  /** How long it must hold before somebody is told. */
  readonly for: string;
  readonly summary: string;
  /** What to do first. */
  readonly description: string;
}

const alerts: Readonly<Record<string, readonly Alert[]>> = {
  programs: [
    {
      name: "TandemDown",
      severity: "critical",
      expr: `up${ours} == 0`,
      for: "2m",
      summary: "{{ $labels.job }} on {{ $labels.instance }} does not answer.",
      description:
        "Look at the pod or the unit and its log. Rules that are in the kernel go on working.",
    },
    {
      name: "TandemRestarting",
      severity: "warning",
      expr: `changes(process_start_time_seconds${ours}[30m]) > 3`,
      for: "0m",
      summary:
        "{{ $labels.job }} on {{ $labels.instance }} has started {{ $value }} times within half an hour.",
      description:
        "The end of the log of the run before says why: kubectl logs --previous, or journalctl.",
    },
    {
      name: "TandemBusy",
      severity: "warning",
      expr: `nodejs_eventloop_lag_seconds{job=~"tandem.*", quantile="0.99"} > 0.5`,
      for: "10m",
      summary: "{{ $labels.job }} on {{ $labels.instance }} is late by {{ $value }} s.",
      description:
        "The machine has too little CPU for it, or the cluster has grown: docs/figures.md has what sizes take.",
    },
    {
      name: "TandemApiOutOfReach",
      severity: "critical",
      expr: `sum by (job, instance) (rate(rest_client_requests_total{job=~"tandem.*", outcome!="success"}[5m])) / sum by (job, instance) (rate(rest_client_requests_total${ours}[5m])) > 0.5`,
      for: "5m",
      summary:
        "More than half of what {{ $labels.job }} on {{ $labels.instance }} asks of the API fails.",
      description:
        "The label outcome of rest_client_requests_total says why: Forbidden is a matter of its role, others of the way to the API.",
    },
  ],
  services: [
    {
      name: "TandemProxyFailing",
      severity: "critical",
      expr: "max by (instance, family) (tandem_proxy_failing) == 1",
      for: "2m",
      summary: "Services of {{ $labels.family }} on {{ $labels.instance }} are not up to date.",
      description:
        "The log of the proxy says what the kernel refuses. Connections to endpoints that are gone fail.",
    },
    {
      name: "TandemProxyRulesRemoved",
      severity: "warning",
      expr: "increase(tandem_proxy_repairs_total[15m]) > 0",
      for: "0m",
      summary: "Somebody else removes rules of services on {{ $labels.instance }}.",
      description: "Often a second proxy, or a firewall that flushes all tables when it reloads.",
    },
    {
      name: "TandemServicesWithProblems",
      severity: "warning",
      expr: "max by (instance) (tandem_proxy_services_with_problems) > 0",
      for: "10m",
      summary: "Parts of {{ $value }} services cannot be served.",
      description: "Events of the services say which part, and why.",
    },
  ],
  policies: [
    {
      name: "TandemPolicyFailing",
      severity: "critical",
      expr: "max by (instance, family) (tandem_policy_failing) == 1",
      for: "2m",
      summary:
        "Network policies of {{ $labels.family }} on {{ $labels.instance }} are not up to date.",
      description:
        "The log says what the kernel refuses. What was denied before stays denied; newer policies may not hold.",
    },
    {
      name: "TandemPolicyRulesRemoved",
      severity: "critical",
      expr: "increase(tandem_policy_repairs_total[15m]) > 0",
      for: "0m",
      summary: "Somebody else changes rules of network policies on {{ $labels.instance }}.",
      description: "For a moment nothing was denied. Find out who flushes tables there.",
    },
  ],
  dns: [
    {
      name: "TandemDnsServerFailures",
      severity: "critical",
      expr: 'sum(rate(dns_responses_total{rcode="SERVFAIL"}[5m])) / sum(rate(dns_responses_total[5m])) > 0.05',
      for: "5m",
      summary: "More than one in twenty answers of DNS is a failure.",
      description: "dns_forward_requests_total says which upstream server does not answer.",
    },
    {
      name: "TandemDnsUpstreamSilent",
      severity: "warning",
      expr: 'sum by (to) (rate(dns_forward_requests_total{outcome="failed"}[5m])) / sum by (to) (rate(dns_forward_requests_total[5m])) > 0.5',
      for: "5m",
      summary:
        "The upstream server {{ $labels.to }} does not answer more than half of the questions.",
      description:
        "Name another with upstream, or mend that one; names outside of the cluster are slow meanwhile.",
    },
  ],
  addresses: [
    {
      name: "TandemVipNotHeld",
      severity: "critical",
      expr: "sum by (vip) (tandem_vip_held) == 0",
      for: "30s",
      summary: "Nobody holds the virtual address {{ $labels.vip }}.",
      description: "'tandem vip status' says who could, and whose check fails.",
    },
    {
      name: "TandemVipHeldTwice",
      severity: "critical",
      expr: "sum by (vip) (tandem_vip_held) > 1",
      for: "30s",
      summary: "{{ $value }} nodes hold the virtual address {{ $labels.vip }}.",
      description:
        "They do not hear each other: VRRP (protocol 112) must pass between them, in both families.",
    },
    {
      name: "TandemVipCheckFailing",
      severity: "warning",
      expr: "max by (instance, use) (tandem_vip_check_failing) == 1",
      for: "5m",
      summary: "{{ $labels.instance }} cannot serve {{ $labels.use }}.",
      description: "Its addresses are on another node, if there is one that can.",
    },
    {
      name: "TandemVipConfigurationRefused",
      severity: "warning",
      expr: "increase(tandem_vip_refused_configurations_total[15m]) > 0",
      for: "0m",
      summary: "{{ $labels.program }} refuses its configuration on {{ $labels.instance }}.",
      description: "The one before stays in force; the log says what is wrong.",
    },
    {
      name: "TandemVipProgramEnds",
      severity: "warning",
      expr: "increase(tandem_vip_crashes_total[15m]) > 2",
      for: "0m",
      summary: "{{ $labels.program }} on {{ $labels.instance }} ends again and again.",
      description: "Its own log lines are in the log of tandem-vip at the level debug.",
    },
    {
      name: "TandemIpamFailing",
      severity: "warning",
      expr: 'sum by (instance, verb) (rate(tandem_ipam_call_seconds_count{outcome="failure"}[10m])) > 0.05',
      for: "10m",
      summary: "Calls of tandem-ipam ({{ $labels.verb }}) fail on {{ $labels.instance }}.",
      description:
        "A range may be exhausted ('tandem ipam show'); events of the pods have the message.",
    },
  ],
  server: [
    {
      name: "TandemServerErrors",
      severity: "critical",
      expr: 'sum(rate(apiserver_request_total{job=~"tandem.*", code=~"5.."}[5m])) / sum(rate(apiserver_request_total{job=~"tandem.*"}[5m])) > 0.05',
      for: "5m",
      summary: "More than one in twenty requests to the API fails.",
      description: "The store may be out of reach or its disk full: the server's log says so.",
    },
    {
      name: "TandemServerRefuses",
      severity: "warning",
      expr: 'sum by (priority_level, reason) (rate(apiserver_flowcontrol_rejected_requests_total{job=~"tandem.*"}[5m])) > 1',
      for: "5m",
      summary:
        "Requests of the level {{ $labels.priority_level }} are refused: {{ $labels.reason }}.",
      description:
        "Somebody asks too much; apiserver_flowcontrol_dispatched_requests_total by flow_schema says who.",
    },
  ],
};

/** A rules file of Prometheus. */
export function rules(): string {
  const groups = Object.entries(alerts).map(([name, some]) => ({
    name: `tandem-${name}`,
    rules: some.map((alert) => ({
      alert: alert.name,
      expr: alert.expr,
      for: alert.for,
      labels: { severity: alert.severity },
      annotations: { summary: alert.summary, description: alert.description },
    })),
  }));
  return stringify({ groups }, { lineWidth: 0 });
}

// Alerts for Prometheus and a dashboard for Grafana, on the metrics that our programs have.

import { stringify } from "yaml";

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

/** Programs are told apart by their job, which begins with "tandem": docs/operators.md has the scrape configuration. */
const ours = '{job=~"tandem.*"}';

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

interface Panel {
  readonly title: string;
  readonly expr: string;
  readonly legend: string;
  readonly unit: string;
}

const panels: Readonly<Record<string, readonly Panel[]>> = {
  "How it is": [
    {
      title: "Programs that answer",
      expr: `sum by (job) (up${ours})`,
      legend: "{{job}}",
      unit: "short",
    },
    {
      title: "Memory",
      expr: `sum by (job, instance) (process_resident_memory_bytes${ours})`,
      legend: "{{job}} {{instance}}",
      unit: "bytes",
    },
    {
      title: "CPU",
      expr: `sum by (job, instance) (rate(process_cpu_seconds_total${ours}[5m]))`,
      legend: "{{job}} {{instance}}",
      unit: "short",
    },
    {
      title: "Versions",
      expr: `count by (job, version) (tandem_build_info${ours})`,
      legend: "{{job}} {{version}}",
      unit: "short",
    },
  ],
  Services: [
    {
      title: "Time until the kernel is up to date, 99 of 100",
      expr: "histogram_quantile(0.99, sum by (le, family) (rate(tandem_proxy_sync_seconds_bucket[5m])))",
      legend: "{{family}}",
      unit: "s",
    },
    {
      title: "Places that services are reached at",
      expr: "max by (family) (tandem_proxy_frontends)",
      legend: "{{family}}",
      unit: "short",
    },
    {
      title: "Failures and repairs",
      expr: "sum by (instance) (increase(tandem_proxy_sync_errors_total[5m]) + increase(tandem_proxy_repairs_total[5m]))",
      legend: "{{instance}}",
      unit: "short",
    },
  ],
  "Network policies": [
    {
      title: "Denied packets a second",
      expr: "sum by (policy, direction) (rate(tandem_policy_denied_packets_total[5m]))",
      legend: "{{policy}} {{direction}}",
      unit: "pps",
    },
    {
      title: "Time until the kernel is up to date, 99 of 100",
      expr: "histogram_quantile(0.99, sum by (le, family) (rate(tandem_policy_sync_seconds_bucket[5m])))",
      legend: "{{family}}",
      unit: "s",
    },
    {
      title: "Addresses with policies",
      expr: "sum by (instance) (tandem_policy_subjects)",
      legend: "{{instance}}",
      unit: "short",
    },
  ],
  DNS: [
    {
      title: "Questions a second",
      expr: "sum by (type) (rate(dns_requests_total[5m]))",
      legend: "{{type}}",
      unit: "reqps",
    },
    {
      title: "Answers a second by code",
      expr: "sum by (rcode) (rate(dns_responses_total[5m]))",
      legend: "{{rcode}}",
      unit: "reqps",
    },
    {
      title: "Upstream, 99 of 100",
      expr: "histogram_quantile(0.99, sum by (le) (rate(dns_forward_duration_seconds_bucket[5m])))",
      legend: "upstream",
      unit: "s",
    },
    {
      title: "Share that the cache answers",
      expr: "sum(rate(dns_cache_hits_total[5m])) / (sum(rate(dns_cache_hits_total[5m])) + sum(rate(dns_cache_misses_total[5m])))",
      legend: "cache",
      unit: "percentunit",
    },
  ],
  "Load balancers, virtual addresses, IPAM": [
    {
      title: "Addresses of load balancers by node",
      expr: "sum by (instance) (tandem_balancer_held_addresses)",
      legend: "{{instance}}",
      unit: "short",
    },
    {
      title: "Holders of virtual addresses",
      expr: "sum by (vip, instance) (tandem_vip_held) > 0",
      legend: "{{vip}} {{instance}}",
      unit: "short",
    },
    {
      title: "Moves of virtual addresses",
      expr: "sum by (instance) (increase(tandem_vip_changes_total[5m]))",
      legend: "{{instance}}",
      unit: "short",
    },
    {
      title: "Calls of tandem-ipam, 99 of 100",
      expr: "histogram_quantile(0.99, sum by (le, verb) (rate(tandem_ipam_call_seconds_bucket[5m])))",
      legend: "{{verb}}",
      unit: "s",
    },
  ],
  "tandem server": [
    {
      title: "Requests a second by code",
      expr: `sum by (code) (rate(apiserver_request_total${ours}[5m]))`,
      legend: "{{code}}",
      unit: "reqps",
    },
    {
      title: "Time of requests, 99 of 100",
      expr: `histogram_quantile(0.99, sum by (le, verb) (rate(apiserver_request_duration_seconds_bucket${ours}[5m])))`,
      legend: "{{verb}}",
      unit: "s",
    },
    {
      title: "Watches",
      expr: `sum by (instance) (apiserver_watchers${ours})`,
      legend: "{{instance}}",
      unit: "short",
    },
    {
      title: "Objects",
      expr: `max by (resource) (apiserver_storage_objects${ours})`,
      legend: "{{resource}}",
      unit: "short",
    },
  ],
};

/** Path below deploy/ → content. */
export function monitoringFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["monitoring/rules.yaml", rules()],
    ["monitoring/dashboard.json", `${JSON.stringify(dashboard(), undefined, 2)}\n`],
  ]);
}

/** Every expression of both files. */
export function expressions(): readonly string[] {
  return [alerts, panels].flatMap((all: Readonly<Record<string, readonly { expr: string }[]>>) =>
    Object.values(all).flatMap((some) => some.map(({ expr }) => expr)),
  );
}

/** The metrics that an expression asks for, without what Prometheus adds: suffixes of histograms, and `up`. */
export function metricsIn(expression: string): readonly string[] {
  const bare = expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)|\b\d[\d.]*/g, " ");
  const names = [...bare.matchAll(/[a-z][a-z0-9_]*(?!\w|\s*\()/g)].map(([name]) => name);
  const asked = names.map((name) => name.replace(/_(bucket|count|sum)$/, ""));
  return [...new Set(asked)].filter((name) => name !== "up");
}

function rules(): string {
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

const [rowHeight, height, width] = [1, 8, 24];

function dashboard(): object {
  const placed: object[] = [];
  let y = 0;
  for (const [title, some] of Object.entries(panels)) {
    const id = placed.length + 1;
    placed.push({
      id,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: width, h: rowHeight },
    });
    y += rowHeight;
    const w = width / some.length;
    some.forEach((panel, index) => {
      const gridPos = { x: index * w, y, w, h: height };
      placed.push(graph(panel, { id: id + index + 1, gridPos }));
    });
    y += height;
  }
  return {
    uid: "tandem",
    title: "Tandem",
    tags: ["tandem"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: {
      list: [{ name: "source", label: "Source", type: "datasource", query: "prometheus" }],
    },
    panels: placed,
  };
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own
const datasource = { type: "prometheus", uid: "${source}" };

function graph({ title, expr, legend, unit }: Panel, place: object): object {
  return {
    ...place,
    type: "timeseries",
    title,
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" } },
    targets: [{ refId: "A", datasource, expr, legendFormat: legend }],
  };
}

// A dashboard for Grafana, on the metrics that our programs have.

import { ours } from "./ours.ts";

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

const [rowHeight, height, width] = [1, 8, 24];

/** A dashboard in the form that Grafana imports. */
export function dashboard(): object {
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

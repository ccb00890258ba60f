// The metrics of the DNS server. Queries come by the hundred thousand: counting one is an addition.

import type { Counter, Histogram } from "../../base/program/metric-kinds.ts";
import type { Labelled, Registry } from "../../base/program/metrics.ts";
import { rcodeName } from "./wire/codes.ts";

export type Protocol = "udp" | "tcp";

export interface DnsMetrics {
  readonly requests: Labelled<Counter, readonly ["protocol", "type"]>;
  responses(rcode: number): Counter;
  readonly dropped: Counter;
  readonly cacheHits: Counter;
  readonly cacheMisses: Counter;
  readonly cachePrefetches: Counter;
  readonly cacheStale: Counter;
  readonly forwards: Labelled<Counter, readonly ["to", "outcome"]>;
  readonly forwardSeconds: Histogram;
}

export interface MeasuredState {
  readonly zone: { readonly size: number; readonly serial: number };
  readonly cache: { readonly size: number; readonly bytes: number };
}

export function dnsMetrics(registry: Registry): DnsMetrics {
  const counter = (name: string, help: string) => registry.counter(name, { help });
  const responses = registry.counter("dns_responses_total", {
    help: "Answers that were sent, by their code.",
    labels: ["rcode"],
  });
  const byCode: Counter[] = [];
  return {
    requests: registry.counter("dns_requests_total", {
      help: "Questions that were read, by protocol and by what they ask for.",
      labels: ["protocol", "type"],
    }),
    responses: (code) => (byCode[code] ??= responses.with(rcodeName(code))),
    dropped: counter("dns_dropped_total", "Messages that are no questions, and were not answered."),
    cacheHits: counter(
      "dns_cache_hits_total",
      "Questions for upstream that were answered at once.",
    ),
    cacheMisses: counter("dns_cache_misses_total", "Questions for upstream that had to be asked."),
    cachePrefetches: counter(
      "dns_cache_prefetches_total",
      "Answers that were asked for again before they ran out.",
    ),
    cacheStale: counter(
      "dns_cache_stale_total",
      "Answers that were given after their time, for want of an upstream.",
    ),
    forwards: registry.counter("dns_forward_requests_total", {
      help: "Questions to upstream servers, and whether they answered.",
      labels: ["to", "outcome"],
    }),
    forwardSeconds: registry.histogram("dns_forward_duration_seconds", {
      help: "How long upstream servers take, all of them that were asked for one question.",
    }),
  };
}

export function registerState(registry: Registry, { zone, cache }: MeasuredState): void {
  const gauge = (name: string, help: string) => registry.gauge(name, { help });
  const names = gauge("dns_zone_names", "Names of the cluster.");
  const serial = gauge("dns_zone_serial", "The serial of the zone, which grows with every change.");
  const entries = gauge("dns_cache_entries", "Answers from upstream that are kept.");
  const bytes = gauge("dns_cache_bytes", "What they take.");
  registry.beforeRender(() => {
    names.set(zone.size);
    serial.set(zone.serial);
    entries.set(cache.size);
    bytes.set(cache.bytes);
  });
}

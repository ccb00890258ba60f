// Metrics of the API server.
import type { Registry } from "../../base/program/metrics.ts";
import type { Core } from "./core.ts";
import type { FlightControl } from "./limits/flight.ts";
import type { RequestInfo } from "./request-info.ts";
import type { Catalogue } from "./resources/catalogue.ts";

export interface RequestMetrics {
  /** Counts a request; `started` is in milliseconds of the monotonic clock. */
  count(info: RequestInfo, code: number, started: number): void;
}

export function requestMetrics(registry: Registry): RequestMetrics {
  const total = registry.counter("apiserver_request_total", {
    help: "Requests answered, by verb, group, resource, subresource and code.",
    labels: ["verb", "group", "resource", "subresource", "code"],
  });
  const seconds = registry.histogram("apiserver_request_duration_seconds", {
    help: "How long requests took, watches and streams left out.",
    labels: ["verb", "group", "resource"],
  });
  return {
    count({ method, resource }, code, started) {
      if (resource === undefined) {
        total.with(method, "", "", "", String(code)).increment();
        return;
      }
      const { verb, group, resource: plural, subresource = "" } = resource;
      total.with(verb, group, plural, subresource, String(code)).increment();
      if (verb !== "watch" && subresource === "") {
        seconds.with(verb, group, plural).observe((performance.now() - started) / 1000);
      }
    },
  };
}

/** Registers the gauges, which are read when metrics are rendered. */
export function registerGauges(
  registry: Registry,
  { core, flights }: { core: Core; flights: FlightControl },
): void {
  const objects = registry.gauge("apiserver_storage_objects", {
    help: "Objects stored, by resource.",
    labels: ["resource"],
  });
  const underWay = registry.gauge("apiserver_current_inflight_requests", {
    help: "Requests under way, watches and streams left out.",
  });
  const watchers = registry.gauge("apiserver_watchers", { help: "Watches under way." });
  const revision = registry.gauge("apiserver_cache_revision", {
    help: "The newest revision of the store that the cache has.",
  });
  registry.beforeRender(() => {
    for (const { id, size } of core.cache.collections()) objects.with(id).set(size);
    underWay.set(flights.size);
    watchers.set(core.watches.size);
    revision.set(core.cache.revision);
  });
}

/** Leaves out unknown resources, whose names would fill the registry of metrics. */
export function knownOnly(catalogue: Catalogue, info: RequestInfo): RequestInfo {
  const { group = "", version = "", resource = "" } = info.resource ?? {};
  return catalogue.find(group, version, resource) === undefined
    ? { ...info, resource: undefined }
    : info;
}

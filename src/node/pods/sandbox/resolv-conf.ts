// The resolver configuration of a pod, according to its dnsPolicy and dnsConfig.

import type { PodDNSConfigOption, PodSpec } from "../../../api/types/core.ts";

export interface Resolution {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

interface ResolutionSources {
  readonly spec: PodSpec;
  readonly namespace: string;
  readonly cluster: { readonly servers: readonly string[]; readonly domain: string };
  readonly node: Resolution;
}

/** The limits of Kubernetes on name servers and search domains. */
const mostServers = 3;
const mostSearches = 32;

export function resolutionOf(sources: ResolutionSources): Resolution {
  const { nameservers = [], searches = [], options = [] } = sources.spec.dnsConfig ?? {};
  const base = baseOf(sources);
  return {
    servers: distinct([...base.servers, ...nameservers]).slice(0, mostServers),
    searches: distinct([...base.searches, ...searches]).slice(0, mostSearches),
    options: mergedOptions(base.options, options.map(optionText)),
  };
}

export function resolvConf({ servers, searches, options }: Resolution): string {
  return [
    ...(searches.length === 0 ? [] : [`search ${searches.join(" ")}\n`]),
    ...servers.map((server) => `nameserver ${server}\n`),
    ...(options.length === 0 ? [] : [`options ${options.join(" ")}\n`]),
  ].join("");
}

export function parseResolvConf(text: string): Resolution {
  const lines = text.split("\n").map((line) => line.trim().split(/\s+/));
  const values = (keyword: string) => lines.filter(([first]) => first === keyword);
  return {
    servers: values("nameserver").flatMap(([, server]) => (server === undefined ? [] : [server])),
    // The last search line overrides the earlier ones.
    searches: (values("search").at(-1) ?? []).slice(1).filter((domain) => domain !== "."),
    options: values("options").flatMap((words) => words.slice(1)),
  };
}

function baseOf({ spec, namespace, cluster, node }: ResolutionSources): Resolution {
  const { dnsPolicy = "ClusterFirst", hostNetwork = false } = spec;
  if (dnsPolicy === "None") return { servers: [], searches: [], options: [] };
  const isClusters =
    dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork);
  if (!isClusters || cluster.servers.length === 0) return node;
  const { domain, servers } = cluster;
  // The domains of services come first, as everywhere in Kubernetes; a bare name that no service has may be a
  // pod's.
  const own = [`${namespace}.svc.${domain}`, `svc.${domain}`, domain, `${namespace}.pod.${domain}`];
  return { servers, searches: [...own, ...node.searches], options: ["ndots:5"] };
}

function optionText({ name = "", value }: PodDNSConfigOption): string {
  return value === undefined || value === "" ? name : `${name}:${value}`;
}

/** Merges options; a later one replaces an earlier one of the same name. */
function mergedOptions(base: readonly string[], later: readonly string[]): string[] {
  const byName = new Map([...base, ...later].map((option) => [option.split(":")[0], option]));
  return [...byName.values()];
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

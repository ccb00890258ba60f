// The parsed fields of a Service; unusable values are left out and reported.

import { proxyNameLabel } from "../../../api/kinds/discovery.ts";
import type { Service, ServicePort } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Protocol } from "./frontend.ts";
import type { Problem } from "./problem.ts";
import { isPort, readProtocol } from "./values.ts";

export interface ServiceFacts {
  /** The families of backends that the service uses. */
  readonly families: readonly Family[];
  readonly addresses: readonly ServiceAddress[];
  readonly ports: readonly PortFacts[];
  readonly isLocalInside: boolean;
  readonly isLocalOutside: boolean;
  readonly affinitySeconds: number | undefined;
  /** The sources that may reach the load balancer's addresses; not given: every one. */
  readonly sourceRanges: readonly Prefix[] | undefined;
  readonly healthCheckNodePort: number | undefined;
}

export interface ServiceAddress {
  readonly kind: "ClusterIP" | "LoadBalancer" | "ExternalIP";
  readonly address: Address;
  readonly field: string;
}

export interface PortFacts {
  readonly name: string | undefined;
  readonly protocol: Protocol;
  readonly port: number;
  readonly nodePort: number | undefined;
}

const headlessLabel = "service.kubernetes.io/headless";
const defaultAffinitySeconds = 10_800;

/** Whether this proxy serves a service; `proxyName` is the proxy's own name, if it has one. */
export function isProxied({ metadata, spec }: Service, proxyName: string | undefined): boolean {
  const { labels = {} } = metadata;
  const clusterIP = spec.clusterIPs?.[0] ?? spec.clusterIP ?? "";
  return (
    labels[proxyNameLabel] === proxyName &&
    labels[headlessLabel] === undefined &&
    spec.type !== "ExternalName" &&
    clusterIP !== "" &&
    clusterIP !== "None"
  );
}

/** Reads a Service. `reserved` says why an external address may not be the service's. */
export function readService(
  service: Service,
  problems: Problem[],
  reserved: (address: Address) => string | undefined = () => undefined,
): ServiceFacts {
  const { spec } = service;
  const addresses = readAddresses(service, problems, reserved);
  const isLocalOutside = spec.externalTrafficPolicy === "Local";
  const isLoadBalancer = spec.type === "LoadBalancer";
  const checked = isLoadBalancer && isLocalOutside ? spec.healthCheckNodePort : undefined;
  return {
    families: wantedFamilies(service, { addresses, problems }),
    addresses,
    ports: (spec.ports ?? []).flatMap((port, n) => readPort(port, { n, problems })),
    isLocalInside: spec.internalTrafficPolicy === "Local",
    isLocalOutside,
    affinitySeconds: affinitySeconds(service),
    sourceRanges: isLoadBalancer ? readSourceRanges(service, problems) : undefined,
    healthCheckNodePort: isPort(checked) ? checked : undefined,
  };
}

function affinitySeconds({ spec }: Service): number | undefined {
  if (spec.sessionAffinity !== "ClientIP") return undefined;
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  return Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400
    ? seconds
    : defaultAffinitySeconds;
}

/**
 * Returns the families of backends. An API server without `endpointFamily` has slices of `ipFamilies`; a
 * very old one lacks even that.
 */
function wantedFamilies(
  { spec }: Service,
  { addresses, problems }: { addresses: readonly ServiceAddress[]; problems: Problem[] },
): readonly Family[] {
  const { endpointFamily } = spec;
  if (endpointFamily === "ipv4") return ["IPv4"];
  if (endpointFamily === "ipv6") return ["IPv6"];
  if (endpointFamily === "dual-stack") return families;
  if (endpointFamily) {
    const state = "it is none of ipv4, ipv6 and dual-stack";
    problems.push({ field: "spec.endpointFamily", value: endpointFamily, state });
  }
  const named = families.filter((family) => spec.ipFamilies?.includes(family));
  if (named.length > 0) return named;
  return families.filter((family) =>
    addresses.some(({ kind, address }) => kind === "ClusterIP" && address.family === family),
  );
}

function readPort(
  port: ServicePort,
  { n, problems }: { n: number; problems: Problem[] },
): PortFacts[] {
  const field = `spec.ports[${n}]`;
  const protocol = readProtocol(port.protocol);
  if (protocol === undefined) {
    const value = String(port.protocol);
    problems.push({ field: `${field}.protocol`, value, state: "it is none of TCP, UDP and SCTP" });
    return [];
  }
  if (!isPort(port.port)) {
    problems.push({ field: `${field}.port`, value: String(port.port), state: notAPort });
    return [];
  }
  const { nodePort } = port;
  const hasNodePort = nodePort !== undefined && nodePort !== 0;
  if (hasNodePort && !isPort(nodePort)) {
    problems.push({ field: `${field}.nodePort`, value: String(nodePort), state: notAPort });
  }
  return [
    {
      name: port.name === "" ? undefined : port.name,
      protocol,
      port: port.port,
      nodePort: isPort(nodePort) ? nodePort : undefined,
    },
  ];
}

const notAPort = "it is not between 1 and 65535";

function readAddresses(
  { spec, status }: Service,
  problems: Problem[],
  reserved: (address: Address) => string | undefined,
): ServiceAddress[] {
  const clusterIPs = spec.clusterIPs ?? [spec.clusterIP ?? ""];
  const ingress = spec.type === "LoadBalancer" ? (status?.loadBalancer?.ingress ?? []) : [];
  const texts = [
    ...clusterIPs.map((text, n) => ["ClusterIP", `spec.clusterIPs[${n}]`, text] as const),
    // The addresses of load balancers in mode "Proxy" are left out: such a balancer translates itself,
    // and packets to its address are to reach it.
    ...ingress.map(({ ip, ipMode }, n) => {
      const text = ipMode === "Proxy" ? undefined : ip;
      return ["LoadBalancer", `status.loadBalancer.ingress[${n}].ip`, text] as const;
    }),
    ...(spec.externalIPs ?? []).map(
      (text, n) => ["ExternalIP", `spec.externalIPs[${n}]`, text] as const,
    ),
  ];
  return texts.flatMap(([kind, field, text]) => {
    if (text === undefined || text === "") return [];
    const address = Address.tryParse(text);
    const isOutside = kind !== "ClusterIP";
    const state =
      address === undefined
        ? "it is not an address"
        : (unusable(address) ?? (isOutside ? reserved(address) : undefined));
    if (address !== undefined && state === undefined) return [{ kind, address, field }];
    problems.push({ field, value: text, state: state ?? "" });
    return [];
  });
}

function unusable(address: Address): string | undefined {
  if (address.isUnspecified) return "it stands for no address";
  if (address.isLoopback) return "it is a loopback address";
  if (address.isMulticast) return "it is a multicast address";
  if (address.isLinkLocal) return "it is a link-local address";
  return undefined;
}

/** Reads the source ranges. If none of them can be read no source is let in, rather than every one. */
function readSourceRanges({ spec }: Service, problems: Problem[]): Prefix[] | undefined {
  const texts = spec.loadBalancerSourceRanges ?? [];
  if (texts.length === 0) return undefined;
  return texts.flatMap((text, n) => {
    const prefix = Prefix.tryParse(text.trim());
    if (prefix !== undefined) return [prefix];
    const field = `spec.loadBalancerSourceRanges[${n}]`;
    problems.push({ field, value: text, state: "it is not a prefix" });
    return [];
  });
}

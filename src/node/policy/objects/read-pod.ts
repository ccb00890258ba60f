// Reads the part of a pod that policies need.

import { networkProperty } from "../../../api/kinds/pod.ts";
import type { Pod, PodIP } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import { defaultNetwork, type PodAddress, type PodFacts, type Protocol } from "../plan/model.ts";

/** The annotation in which other runtimes list the networks of pods. */
const statusAnnotation = "k8s.v1.cni.cncf.io/network-status";
/** The annotation of static pods' mirror pods. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

const keptAnnotations = [statusAnnotation, mirrorAnnotation];

interface Options {
  /** The name of this node; without it, all pods are treated as those of this node. */
  readonly node?: string | undefined;
  /** The addresses that the pod is known to have, whatever its status says. */
  readonly known?: readonly PodAddress[] | undefined;
}

/** Returns undefined for a pod that uses the host network, has ended, or has no address. */
export function readPod(pod: Pod, { node, known = [] }: Options): PodFacts | undefined {
  const { metadata, spec, status } = pod;
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  if (spec.hostNetwork === true || isOver) return undefined;
  const written = addressesOf(pod);
  const addresses = distinct([...written, ...known]);
  if (addresses.length === 0) return undefined;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace,
    labels: metadata.labels ?? {},
    addresses,
    ports: containers
      .flatMap(({ ports = [] }) => ports)
      .flatMap(({ name, protocol = "TCP", containerPort }) =>
        name === undefined || name === ""
          ? []
          : [{ name, protocol: protocol.toLowerCase() as Protocol, port: containerPort }],
      ),
    isLocal: node === undefined || spec.nodeName === node,
  };
}

/** Returns the part of a pod that the watch keeps in memory. */
export function slimPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { namespace, name, uid, resourceVersion, labels, annotations } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => keptAnnotations.includes(key));
  const portsOf = (containers: Pod["spec"]["containers"] = []) =>
    containers.flatMap(({ name: container, ports }) =>
      ports?.some((port) => port.name) ? [{ name: container, ports }] : [],
    );
  return {
    apiVersion,
    kind,
    metadata: {
      namespace,
      name,
      ...defined({ uid, resourceVersion, labels }),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
    spec: {
      containers: portsOf(spec.containers),
      initContainers: portsOf(spec.initContainers),
      ...defined({ nodeName: spec.nodeName }),
      ...(spec.hostNetwork === true && { hostNetwork: true }),
    },
    status: defined({ phase: status?.phase, podIP: status?.podIP, podIPs: status?.podIPs }),
  };
}

function addressesOf({ metadata, status }: Pod): readonly PodAddress[] {
  const { podIPs = [], podIP } = status ?? {};
  const own: readonly PodIP[] = podIPs.length === 0 && podIP ? [{ ip: podIP }] : podIPs;
  const told = networksIn(metadata.annotations?.[statusAnnotation]);
  return [
    ...own.flatMap(({ ip, properties }) => at(ip, properties?.[networkProperty] ?? defaultNetwork)),
    ...told.flatMap(({ name, default: isDefault, ips = [] }) =>
      isDefault === true || name === undefined ? [] : ips.flatMap((ip) => at(ip, name)),
    ),
  ];
}

export function at(ip: string, network: string): readonly PodAddress[] {
  const address = Address.tryParse(ip);
  if (address === undefined || address.isLinkLocal) return [];
  return [{ address, text: address.toString(), family: address.family, network }];
}

/** Removes duplicate addresses; the first entry of an address wins. */
function distinct(addresses: readonly PodAddress[]): readonly PodAddress[] {
  return [...new Map(addresses.toReversed().map((one) => [one.text, one])).values()].toReversed();
}

interface NetworkStatus {
  readonly name?: string;
  readonly default?: boolean;
  readonly ips?: readonly string[];
}

/** Parses the annotation, which may contain anything; returns no networks when it is invalid. */
function networksIn(text = "[]"): readonly NetworkStatus[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as NetworkStatus[]) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

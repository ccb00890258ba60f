// The address of a node's agent, and the container that a request is about.
import type { PeerCertificate } from "node:tls";
import type { Node, Pod } from "../../../api/types/core.ts";
import { badRequest } from "../errors.ts";

export interface NodeEndpoint {
  readonly node: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Returns TLS options that accept only the node itself, at whatever address its object has: the subject of
 * its certificate counts, not the address.
 */
export function onlyNode(name: string): {
  checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined;
} {
  return {
    checkServerIdentity(host, { subject }) {
      const isNode = [subject?.O].flat().includes("system:nodes");
      if (isNode && subject.CN === `system:node:${name}`) return undefined;
      return new Error(`the certificate at ${host} is not the one of the node ${name}`);
    },
  };
}

const defaultPort = 10_250;
const defaultContainer = "kubectl.kubernetes.io/default-container";

export function endpointOf(node: Node): NodeEndpoint {
  const addresses = node.status?.addresses ?? [];
  const found =
    addresses.find(({ type }) => type === "InternalIP") ??
    addresses.find(({ type }) => type === "Hostname");
  if (found === undefined) {
    throw badRequest(`node ${node.metadata.name} has no address to reach it at`);
  }
  return {
    node: node.metadata.name,
    host: found.address,
    port: node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? defaultPort,
  };
}

/** Returns the container that the request names, or the default one. */
export function containerOf(pod: Pod, requested: string | null): string {
  const { name } = pod.metadata;
  const all = [
    ...(pod.spec.containers ?? []),
    ...(pod.spec.initContainers ?? []),
    ...(pod.spec.ephemeralContainers ?? []),
  ].map((container) => container.name);
  const container = requested || pod.metadata.annotations?.[defaultContainer];
  if (container) {
    if (all.includes(container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  if ((pod.spec.containers ?? []).length === 1 && all[0] !== undefined) return all[0];
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`,
  );
}

// The API objects of nodes that announce load balancers.

import type { Family } from "../../src/base/net/family.ts";

export const backendPort = 8080;

interface NamedNode {
  readonly name: string;
  readonly addresses: Readonly<Record<Family, string>>;
}

export function nodeObject({ name, addresses }: NamedNode): object {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    status: {
      addresses: Object.values(addresses).map((address) => ({ type: "InternalIP", address })),
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

export function sliceObject(service: string, family: Family, nodes: readonly NamedNode[]): object {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${service}-${family.toLowerCase()}`,
      namespace: "default",
      labels: { "kubernetes.io/service-name": service },
    },
    addressType: family,
    ports: [{ name: "http", port: backendPort, protocol: "TCP" }],
    endpoints: nodes.map((node) => ({
      addresses: [node.addresses[family]],
      nodeName: node.name,
      conditions: { ready: true },
    })),
  };
}

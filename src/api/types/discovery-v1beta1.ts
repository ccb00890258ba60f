// Made from the tables of src/api/schema by `make types`: change those.

import type { ObjectReference } from "./core.ts";
import type { ListMeta, NamespacedMeta } from "./meta.ts";

export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  hostname?: string;
  targetRef?: ObjectReference;
  topology?: Record<string, string>;
  nodeName?: string;
  hints?: EndpointHints;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forZones?: ForZone[];
  forNodes?: ForNode[];
}

export interface EndpointPort {
  name?: string;
  protocol?: "SCTP" | "TCP" | "UDP";
  port?: number;
  appProtocol?: string;
}

/** A part of the backends of a service, of one address family, in the form older proxies read. */
export interface EndpointSlice {
  apiVersion: "discovery.k8s.io/v1beta1";
  kind: "EndpointSlice";
  metadata: NamespacedMeta;
  addressType: "FQDN" | "IPv4" | "IPv6";
  endpoints: Endpoint[];
  ports?: EndpointPort[];
}

export interface EndpointSliceList {
  apiVersion: "discovery.k8s.io/v1beta1";
  kind: "EndpointSliceList";
  metadata: ListMeta;
  items: EndpointSlice[];
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}

// Made from the tables of src/api/schema by `make types`: change those.

import type { TypedLocalObjectReference } from "./core.ts";
import type { Condition, LabelSelector, ListMeta, NamedMeta, NamespacedMeta } from "./meta.ts";

export interface HTTPIngressPath {
  path?: string;
  pathType: "Exact" | "ImplementationSpecific" | "Prefix";
  backend: IngressBackend;
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

/** One allocated cluster IP and the object that holds it. */
export interface IPAddress {
  apiVersion: "networking.k8s.io/v1";
  kind: "IPAddress";
  metadata: NamedMeta;
  spec: IPAddressSpec;
}

export interface IPAddressList {
  apiVersion: "networking.k8s.io/v1";
  kind: "IPAddressList";
  metadata: ListMeta;
  items: IPAddress[];
}

export interface IPAddressSpec {
  parentRef: ParentReference;
}

export interface IPBlock {
  cidr: string;
  except?: string[];
}

/** Rules that lead HTTP requests from outside to services. */
export interface Ingress {
  apiVersion: "networking.k8s.io/v1";
  kind: "Ingress";
  metadata: NamespacedMeta;
  spec: IngressSpec;
  status?: IngressStatus;
}

export interface IngressBackend {
  service?: IngressServiceBackend;
  resource?: TypedLocalObjectReference;
}

/** Names the controller that acts on an Ingress. */
export interface IngressClass {
  apiVersion: "networking.k8s.io/v1";
  kind: "IngressClass";
  metadata: NamedMeta;
  spec: IngressClassSpec;
}

export interface IngressClassList {
  apiVersion: "networking.k8s.io/v1";
  kind: "IngressClassList";
  metadata: ListMeta;
  items: IngressClass[];
}

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind: string;
  name: string;
  scope?: "Cluster" | "Namespace";
  namespace?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export interface IngressList {
  apiVersion: "networking.k8s.io/v1";
  kind: "IngressList";
  metadata: ListMeta;
  items: Ingress[];
}

export interface IngressLoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  port: number;
  protocol: "SCTP" | "TCP" | "UDP";
  error?: string;
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: IngressBackend;
  tls?: IngressTLS[];
  rules?: IngressRule[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

/** Which connections pods may have: from whom, to whom, on which ports. */
export interface NetworkPolicy {
  apiVersion: "networking.k8s.io/v1";
  kind: "NetworkPolicy";
  metadata: NamespacedMeta;
  spec: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  ports?: NetworkPolicyPort[];
  from?: NetworkPolicyPeer[];
}

export interface NetworkPolicyList {
  apiVersion: "networking.k8s.io/v1";
  kind: "NetworkPolicyList";
  metadata: ListMeta;
  items: NetworkPolicy[];
}

export interface NetworkPolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: IPBlock;
}

export interface NetworkPolicyPort {
  protocol?: "TCP" | "UDP" | "SCTP";
  port?: number | string;
  endPort?: number;
}

export interface NetworkPolicySpec {
  podSelector?: LabelSelector;
  ingress?: NetworkPolicyIngressRule[];
  egress?: NetworkPolicyEgressRule[];
  policyTypes?: ("Egress" | "Ingress")[];
}

export interface ParentReference {
  group?: string;
  resource: string;
  namespace?: string;
  name: string;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

/** Prefixes, at most one per family, that cluster IPs are taken from. */
export interface ServiceCIDR {
  apiVersion: "networking.k8s.io/v1";
  kind: "ServiceCIDR";
  metadata: NamedMeta;
  spec: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}

export interface ServiceCIDRList {
  apiVersion: "networking.k8s.io/v1";
  kind: "ServiceCIDRList";
  metadata: ListMeta;
  items: ServiceCIDR[];
}

export interface ServiceCIDRSpec {
  cidrs?: string[];
}

export interface ServiceCIDRStatus {
  conditions?: Condition[];
}

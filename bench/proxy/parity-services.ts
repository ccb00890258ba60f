// Services in every shape that a proxy of Kubernetes knows, all at the same time.

import type { Service, ServiceSpec } from "../../src/api/types/core.ts";
import type { EndpointSlice } from "../../src/api/types/discovery.ts";
import { families } from "../../src/base/net/family.ts";
import { addressOf, type Party, slices } from "../../src/node/proxy/plan/testing/scenario.ts";

export interface Shape {
  readonly name: string;
  readonly spec: Partial<ServiceSpec>;
  readonly backends: Parameters<typeof slices>[0];
  readonly lb?: Party;
}

const local = { externalTrafficPolicy: "Local" as const } as const;
const inside = { internalTrafficPolicy: "Local" as const } as const;
const nodePort = { type: "NodePort" as const } as const;
const balanced = { type: "LoadBalancer" as const } as const;
const leaving = { conditions: { ready: false, serving: true, terminating: true } };
const absent = { conditions: { ready: false, serving: false, terminating: false } };
const here = { nodeName: "here" };
const there = { nodeName: "there" };

export const shapes: readonly Shape[] = [
  { name: "plain", spec: {}, backends: ["a", "b", "c"] },
  { name: "single", spec: {}, backends: ["b"] },
  { name: "empty", spec: nodePort, backends: [] },
  { name: "node-port", spec: nodePort, backends: ["a", "b"] },
  { name: "node-port-local", spec: { ...nodePort, ...local }, backends: ["a", "b"] },
  { name: "node-port-remote", spec: { ...nodePort, ...local }, backends: ["b"] },
  { name: "inside-local", spec: inside, backends: ["a", "b"] },
  { name: "inside-remote", spec: inside, backends: ["b"] },
  { name: "external", spec: { externalIPs: both("external") }, backends: ["a", "b"] },
  { name: "balanced", spec: balanced, backends: ["a", "c"], lb: "lb" },
  {
    name: "guarded",
    spec: { ...balanced, ...local, loadBalancerSourceRanges: ["203.0.0.0/24", "2001:db8::/116"] },
    backends: ["a", "b"],
    lb: "lb2",
  },
  {
    name: "sticky",
    spec: { ...nodePort, sessionAffinity: "ClientIP" as const },
    backends: ["a", "b", "c"],
  },
  { name: "leaving", spec: nodePort, backends: { a: { ...here, ...leaving } } },
  {
    name: "leaving-some",
    spec: nodePort,
    backends: { a: { ...here, ...leaving }, b: there },
  },
  { name: "not-ready", spec: nodePort, backends: { a: { ...here, ...absent } } },
  {
    name: "leaving-local",
    spec: { ...nodePort, ...local },
    backends: { a: { ...here, ...leaving }, b: there },
  },
  { name: "here-only", spec: { ...nodePort, ...local, ...inside }, backends: ["a", "d", "c"] },
];

const ports = [
  { name: "t", port: 80, protocol: "TCP" as const },
  { name: "u", port: 80, protocol: "UDP" as const },
];
const targets = [
  { name: "t", port: 8080, protocol: "TCP" as const },
  { name: "u", port: 8080, protocol: "UDP" as const },
];

/** Cluster IPs and node ports are the server's to choose. */
export function objectsOf({ name, spec, backends }: Shape): readonly (Service | EndpointSlice)[] {
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "shop" },
      spec: { ipFamilyPolicy: "RequireDualStack" as const, ports, ...spec },
    },
    ...slices(backends, { of: name, ports: targets }),
  ];
}

export function balancerStatus({ name, lb }: Shape) {
  const ingress = lb === undefined ? [] : both(lb).map((ip) => ({ ip }));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop" },
    status: { loadBalancer: { ingress } },
  };
}

function both(party: Party): string[] {
  return families.map((family) => addressOf(party, family).toString());
}

// Objects that `tandem check` creates in a cluster: echo pods, and services in front of them.

import type { Draft } from "../../api/client/objects.ts";
import type { Namespace, Pod, Service, ServiceSpec } from "../../api/types/core.ts";
import type { Ingress } from "../../api/types/networking.ts";
import { defined } from "../../base/json/defined.ts";
import type { Family } from "../../base/net/family.ts";

export const echoImage = "tandem.internal/echo";
export const echoPort = 8080;
/** The port of every service. */
export const servicePort = 80;

export interface EchoPodOptions {
  readonly name: string;
  readonly node: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly hostPort?: number;
  readonly hostNetwork?: boolean;
  readonly port?: number;
}

/**
 * The pod's name comes from the downward API, since the host name of a pod in its node's network is the
 * node's.
 */
const environment = [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];

/** Returns an echo pod. A second container beside the first one sends requests. */
export function echoPod(options: EchoPodOptions): Pod {
  const { name, node, namespace = "default", image = echoImage, port = echoPort } = options;
  const { hostPort, hostNetwork, labels } = options;
  const ports = (["TCP", "UDP"] as const).map((protocol) => ({
    containerPort: port,
    protocol,
    ...defined({ hostPort }),
  }));
  const serve = (at: number) => ["serve", `--http-port=${at}`, `--udp-port=${at}`];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: "echo", ...labels } },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...defined({ hostNetwork }),
      containers: [
        {
          name: "echo",
          image,
          args: serve(port),
          env: environment,
          ports,
          readinessProbe: { httpGet: { path: "/healthz", port }, periodSeconds: 1 },
        },
        { name: "beside", image, args: serve(port + 1), env: environment },
      ],
    },
  };
}

/** Returns the namespace. It is privileged, since a restricted one forbids host networks and host ports. */
export function checkNamespace(
  name: string,
  more: Readonly<Record<string, string>> = {},
): Draft<Namespace> {
  const labels = {
    ...more,
    "app.kubernetes.io/managed-by": "tandem-check",
    "pod-security.kubernetes.io/enforce": "privileged",
  };
  return { metadata: { name, labels }, spec: {} };
}

/** Returns the labels of the pod behind a service. */
export function serverLabels(server: string): Readonly<Record<string, string>> {
  return { server };
}

export interface EchoServiceOptions {
  readonly namespace: string;
  readonly name: string;
  /** The name of the pod behind the service. */
  readonly server: string;
  readonly port?: number;
}

export function echoService(
  { namespace, name, server, port = servicePort }: EchoServiceOptions,
  spec: ServiceSpec,
): Draft<Service> {
  const ports = (["TCP", "UDP"] as const).map((protocol) => ({
    name: protocol.toLowerCase(),
    protocol,
    port,
    targetPort: echoPort,
  }));
  const selector = serverLabels(server);
  return { metadata: { namespace, name }, spec: { selector, ports, ...spec } };
}

/** Returns an Ingress without a host name, so that it can be requested by its address. */
export function echoIngress(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  ingressClassName: string,
): Draft<Ingress> {
  const service = { name, port: { number: servicePort } };
  const path = { path: ingressPath(namespace), pathType: "Prefix" as const, backend: { service } };
  return {
    metadata: { namespace, name },
    spec: { ingressClassName, rules: [{ http: { paths: [path] } }] },
  };
}

/** Returns a path that no other Ingress has. */
export function ingressPath(namespace: string): string {
  return `/${namespace}`;
}

/** External addresses out of the ranges for documentation, which carry nobody's traffic. */
export const externalAddresses: Readonly<Record<Family, string>> = {
  IPv4: "192.0.2.77",
  IPv6: "2001:db8:77::77",
};

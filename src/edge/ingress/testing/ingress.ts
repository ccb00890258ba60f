// Objects for the tests of this folder.

import { generateKeyPairSync } from "node:crypto";
import type { Endpoints, Secret, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { HTTPIngressPath, Ingress, IngressSpec } from "../../../api/types/networking.ts";
import { families } from "../../../base/net/family.ts";
import type { ReferredObjects } from "../plan/objects.ts";
import type { NginxSettings } from "../render/nginx.ts";

export function ingress(
  name: string,
  spec: IngressSpec,
  metadata: Partial<Ingress["metadata"]> = {},
): Ingress {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      namespace: "default",
      name,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    spec,
  };
}

type PathType = HTTPIngressPath["pathType"];

export function leadsTo(backend: string, paths: readonly (readonly [PathType, string])[]) {
  return {
    http: {
      paths: paths.map(([pathType, path]) => ({ path, pathType, backend: backendOf(backend) })),
    },
  };
}

export function backendOf(name: string) {
  return { service: { name, port: { number: 80 } } };
}

export function service(name: string, spec: Service["spec"] = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "default", name },
    spec: { ports: [{ name: "http", port: 80 }], ...spec },
  };
}

/** Endpoints in which each element is the address pair of one backend. */
export function endpoints(name: string, pairs: readonly (readonly string[])[]): Endpoints {
  const addresses = pairs.map((ips) => ({ ip: ips[0] ?? "", ips: [...ips] }));
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { namespace: "default", name },
    subsets: [{ addresses, ports: [{ name: "http", port: 8080 }] }],
  };
}

interface Given {
  readonly services?: readonly Service[];
  readonly endpoints?: readonly Endpoints[];
  readonly slices?: readonly EndpointSlice[];
  readonly secrets?: readonly Secret[];
  readonly reachable?: ReferredObjects["reachable"];
}

export function objects(given: Given = {}): ReferredObjects {
  const by = <T extends { metadata: { namespace: string; name: string } }>(
    all: readonly T[] = [],
  ) => new Map(all.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]));
  const [services, known, secrets] = [by(given.services), by(given.endpoints), by(given.secrets)];
  return {
    service: (key) => services.get(key),
    endpoints: (key) => known.get(key),
    slices: (key) =>
      (given.slices ?? []).filter(
        ({ metadata }) =>
          `${metadata.namespace}/${metadata.labels?.["kubernetes.io/service-name"]}` === key,
      ),
    secret: (key) => secrets.get(key),
    reachable: given.reachable ?? families,
  };
}

export const nginxSettings: NginxSettings = {
  directory: "/var/lib/ingress",
  httpListen: [{ host: "", port: 80 }],
  httpsListen: [{ host: "", port: 443 }],
  families,
  user: undefined,
  workers: undefined,
  connections: 1024,
  drainSeconds: 20,
  logsRequests: false,
  features: { hasHttp2Directive: false, sparesIdleConnections: false },
};

export function tlsSecret(name: string, certificate: string, key: string): Secret {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "default", name },
    type: "kubernetes.io/tls",
    data: { "tls.crt": encode(certificate), "tls.key": encode(key) },
  };
}

/** A key that belongs to no certificate. */
export function strangeKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" });
}

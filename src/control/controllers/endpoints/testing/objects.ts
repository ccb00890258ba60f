// Services and pods for tests.

import type {
  ContainerPort,
  Pod,
  PodIP,
  PodStatus,
  Service,
  ServiceSpec,
} from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";

export function serviceOf(spec: Partial<ServiceSpec> = {}, name = "web"): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "default", name, uid: `uid-of-${name}` },
    spec: {
      type: "ClusterIP" as const,
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10"],
      ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[],
      endpointFamily: "dual-stack",
      selector: { app: "web" },
      ports: [{ port: 80, targetPort: 8080, protocol: "TCP" as const }],
      ...spec,
    },
  };
}

export interface PodTraits {
  readonly name?: string;
  readonly ips?: readonly (string | PodIP)[];
  readonly ready?: boolean;
  readonly phase?: NonNullable<PodStatus["phase"]>;
  readonly terminating?: boolean;
  readonly ports?: readonly ContainerPort[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly node?: string;
}

export function podOf(traits: PodTraits = {}): Pod {
  const { name = "a", ips = ["10.0.0.1", "fd00::1"], ready = true, phase = "Running" } = traits;
  const { terminating = false, ports = [], hostname, subdomain, node } = traits;
  const podIPs = ips.map((ip) => (typeof ip === "string" ? { ip } : ip));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "default",
      name,
      uid: `uid-of-${name}`,
      labels: { app: "web" },
      ...(terminating ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: {
      containers: [{ name: "main", ports: [...ports] }],
      ...defined({ hostname, subdomain, nodeName: node }),
    },
    status: {
      phase,
      podIPs,
      ...(podIPs[0] === undefined ? {} : { podIP: podIPs[0].ip }),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
}

export function claimed(ip: string, by = "other", key = "service-controller-name"): PodIP {
  return { ip, properties: { [`service.kubernetes.io/${key}`]: by } };
}

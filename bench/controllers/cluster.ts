// A cluster of a given size, put into a store as a server would have it.

import { randomUUID } from "node:crypto";
import type { Pod, Service } from "../../src/api/types/core.ts";
import { openEmbedded } from "../../src/control/store/embedded/open.system.ts";

export interface Size {
  readonly services: number;
  readonly podsPerService: number;
}

const namespace = "default";
const creationTimestamp = "2026-01-01T00:00:00Z";
const batch = 100;

export function serviceName(service: number): string {
  return `service-${service}`;
}

export function podName(service: number, pod: number): string {
  return `pod-${service}-${pod}`;
}

/** Of each family. */
export function podAddresses(service: number, pod: number, podsPerService: number): string[] {
  const number = service * podsPerService + pod;
  const hex = number.toString(16);
  return [`10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`, `fd00::1:${hex}`];
}

export async function fillStore(directory: string, size: Size): Promise<void> {
  const store = await openEmbedded({ directory });
  try {
    let operations: { type: "put"; key: string; value: Buffer }[] = [];
    const flush = async () => {
      await store.commit({ compare: [], operations });
      operations = [];
    };
    for (const { key, object } of objectsOf(size)) {
      operations.push({ type: "put", key, value: Buffer.from(JSON.stringify(object)) });
      if (operations.length === batch) await flush();
    }
    if (operations.length > 0) await flush();
  } finally {
    await store.close();
  }
}

function* objectsOf({ services, podsPerService }: Size) {
  for (let service = 0; service < services; service++) {
    const name = serviceName(service);
    yield { key: `/registry/core/services/${namespace}/${name}`, object: serviceOf(service) };
    for (let pod = 0; pod < podsPerService; pod++) {
      const object = podOf(service, pod, podsPerService);
      yield { key: `/registry/core/pods/${namespace}/${object.metadata.name}`, object };
    }
  }
}

function serviceOf(service: number): Service {
  const name = serviceName(service);
  const clusterIP = `10.96.${(service >> 8) & 255}.${service & 255}`;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name, uid: randomUUID(), creationTimestamp },
    spec: {
      type: "ClusterIP",
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      endpointFamily: "dual-stack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      selector: { app: "bench", service: name },
      ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
    },
    status: { loadBalancer: {} },
  };
}

function podOf(service: number, pod: number, podsPerService: number): Pod {
  const podIPs = podAddresses(service, pod, podsPerService).map((ip) => ({ ip }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      name: podName(service, pod),
      uid: randomUUID(),
      creationTimestamp,
      labels: { app: "bench", service: serviceName(service) },
    },
    spec: {
      nodeName: `node-${pod}`,
      containers: [{ name: "main", image: "registry/image:1" }],
    },
    status: {
      phase: "Running",
      podIP: podIPs[0]?.ip ?? "",
      podIPs,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: creationTimestamp }],
    },
  };
}

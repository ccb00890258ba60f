// Services with endpoints, put into a store as a server would have them.

import { randomUUID } from "node:crypto";
import type { Node, Service } from "../../src/api/types/core.ts";
import type { EndpointSlice } from "../../src/api/types/discovery.ts";
import { Address } from "../../src/base/net/address.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import { openEmbedded } from "../../src/control/store/embedded/open.system.ts";

export const namespace = "default";
export const nodeName = "bench";
export const nodeAddress = "192.0.2.1";
/** Two endpoints that really answer, of a service that leads to one of them at a time. */
export const answering: readonly [string, string] = ["198.51.100.1", "198.51.100.2"];
export const answeringPort = 8080;
export const probe = { name: "probe", clusterIP: "10.96.255.1" } as const;
const endpointsPerService = 5;
const creationTimestamp = "2026-01-01T00:00:00Z";

export async function fillStore(directory: string, services: number): Promise<void> {
  const store = await openEmbedded({ directory });
  try {
    const objects = [...objectsOf(services)];
    for (let start = 0; start < objects.length; start += 200) {
      const operations = objects.slice(start, start + 200).map(({ key, object }) => ({
        type: "put" as const,
        key,
        value: Buffer.from(JSON.stringify(object)),
      }));
      await store.commit({ compare: [], operations });
    }
  } finally {
    await store.close();
  }
}

/** The n-th service, or the one that is probed. */
export function sliceName(service: number | string): string {
  return typeof service === "number" ? `service-${service}-1` : `${service}-1`;
}

/** Nobody has these; those of another generation are others. */
export function endpointAddresses(service: number, generation = 0): readonly string[] {
  const first = endpointNetwork.first.value + BigInt(generation) * 0x10_00_00n;
  return Array.from({ length: endpointsPerService }, (_, n) =>
    Address.of("IPv4", first + BigInt(service * endpointsPerService + n)).toString(),
  );
}

const endpointNetwork = Prefix.parse("10.128.0.0/9");

function* objectsOf(services: number) {
  yield { key: `/registry/core/nodes/${nodeName}`, object: nodeObject() };
  const all = Array.from({ length: services }, (_, n) => ({
    name: `service-${n}`,
    clusterIP: `10.96.${n >> 8}.${n & 255}`,
    addresses: endpointAddresses(n),
  }));
  for (const { name, clusterIP, addresses } of [
    ...all,
    { ...probe, addresses: answering.slice(0, 1) },
  ]) {
    yield {
      key: `/registry/core/services/${namespace}/${name}`,
      object: serviceObject(name, clusterIP),
    };
    const object = sliceObject(name, addresses);
    const key = `/registry/discovery.k8s.io/endpointslices/${namespace}/${object.metadata.name}`;
    yield { key, object };
  }
}

function nodeObject(): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName, uid: randomUUID(), creationTimestamp },
    spec: {},
    status: { addresses: [{ type: "InternalIP", address: nodeAddress }] },
  };
}

function serviceObject(name: string, clusterIP: string): Service {
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
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ port: 80, targetPort: answeringPort, protocol: "TCP" }],
    },
    status: { loadBalancer: {} },
  };
}

function sliceObject(name: string, addresses: readonly string[]): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace,
      name: sliceName(name),
      uid: randomUUID(),
      creationTimestamp,
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: "IPv4",
    ports: [{ name: "", port: answeringPort, protocol: "TCP" }],
    endpoints: addresses.map((address) => endpoint(address)),
  };
}

export function endpoint(address: string) {
  const targetRef = { kind: "Pod", namespace, name: `pod-${address}`, uid: randomUUID() };
  const conditions = { ready: true, serving: true, terminating: false };
  return { addresses: [address], nodeName: "elsewhere", conditions, targetRef };
}

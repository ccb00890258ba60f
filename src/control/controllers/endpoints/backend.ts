// Backends of a service, computed from its pods: the one decision that Endpoints and EndpointSlices are both
// made of, so that they cannot disagree.

import { isDefaultAddress } from "../../../api/kinds/pod.ts";
import { isHeadless } from "../../../api/kinds/service.ts";
import type { ObjectReference, Pod, Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { type BackendPort, portsOf } from "./endpoint-ports.ts";
import { wantedFamilies } from "./wanted-families.ts";

/** A backend: one pod behind one service, or one hand-written address. */
export interface Backend {
  /** The addresses in the wanted families, the default address first; never empty. */
  readonly addresses: readonly BackendAddress[];
  readonly ports: readonly BackendPort[];
  readonly ready: boolean;
  /** Whether the backend serves, and whether it terminates; unknown for hand-written addresses. */
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef?: ObjectReference;
}

export interface BackendAddress {
  readonly family: Family;
  readonly ip: string;
}

export interface BackendOptions {
  /** Returns the zone of a node, if it has one. */
  readonly zoneOf: (node: string) => string | undefined;
}

/** Returns the backends of a service. The pods must be those that it selects. */
export function backendsOf(
  service: Service,
  pods: Iterable<Pod>,
  options: BackendOptions,
): Backend[] {
  if (service.spec.type === "ExternalName") return [];
  const families = wantedFamilies(service);
  const backends: Backend[] = [];
  for (const pod of pods) {
    const backend = backendOf(pod, { service, families, ...options });
    if (backend !== undefined) backends.push(backend);
  }
  return backends;
}

interface Setting extends BackendOptions {
  readonly service: Service;
  readonly families: readonly Family[];
}

function backendOf(pod: Pod, { service, families, zoneOf }: Setting): Backend | undefined {
  if (isOver(pod)) return undefined;
  const addresses = addressesOf(pod, families);
  if (addresses.length === 0) return undefined;
  const ports = portsOf(service, pod);
  // Endpoints without ports exist only for headless services.
  const isPortless = (service.spec.ports ?? []).length === 0 && isHeadless(service);
  if (ports.length === 0 && !isPortless) return undefined;
  const { namespace, name, uid = "", deletionTimestamp } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec;
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const zone = nodeName ? zoneOf(nodeName) : undefined;
  return {
    addresses,
    ports,
    ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating),
    serving,
    terminating,
    ...(hostname && subdomain === service.metadata.name ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** Returns the first address of each wanted family that no other controller claims. */
function addressesOf({ status }: Pod, families: readonly Family[]): BackendAddress[] {
  const own = (status?.podIPs ?? []).filter(isDefaultAddress).flatMap(({ ip }) => {
    const family = Address.tryParse(ip)?.family;
    return family === undefined ? [] : [{ family, ip }];
  });
  return families.flatMap((family) => own.find((address) => address.family === family) ?? []);
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => type === "Ready" && value === "True",
  );
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

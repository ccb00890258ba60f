// endpointFamily: which addresses of its backends a service uses. A value that came from ipFamilies
// is marked by an annotation, because only such a value follows them when they change.
import type { Service } from "../../types/core.ts";
import type { WriteContext } from "../kind.ts";
import { sameList } from "./needs.ts";

export const endpointFamilies = ["ipv4", "ipv6", "dual-stack"] as const;

export const derivedAnnotation = "tandem.internal/endpoint-family-from";
const derivedValue = "ipFamilies";

/** What the request itself said, before the families were completed. */
export interface FamilyRequest {
  readonly endpointFamily: string | null | undefined;
  readonly setsFamilies: boolean;
}

export function familyRequest({ spec }: Service): FamilyRequest {
  return {
    endpointFamily: spec.endpointFamily,
    setsFamilies: (spec.ipFamilies?.length ?? 0) > 0 || spec.ipFamilyPolicy !== undefined,
  };
}

/** Runs after the families are complete. */
export function completeEndpointFamily(
  service: Service,
  request: FamilyRequest,
  context: WriteContext<Service>,
): void {
  const { spec } = service;
  const { old, patch } = context;
  if (spec.type === "ExternalName") {
    if (!request.endpointFamily) delete spec.endpointFamily;
    markDerived(service, false);
    return;
  }
  const isRemoved =
    request.endpointFamily === null ||
    request.endpointFamily === "" ||
    (request.endpointFamily === undefined && patch !== undefined);
  const before = old?.spec.endpointFamily;
  if (before === undefined || isRemoved) {
    const isGiven = Boolean(request.endpointFamily);
    const isDerived = !isGiven && request.setsFamilies;
    if (!isGiven) spec.endpointFamily = isDerived ? familyOf(service) : "dual-stack";
    markDerived(service, isDerived);
    return;
  }
  const isUnchanged = request.endpointFamily === undefined || request.endpointFamily === before;
  const wasDerived = old?.metadata.annotations?.[derivedAnnotation] === derivedValue;
  if (isUnchanged) {
    const follows = wasDerived && !sameList(spec.ipFamilies, old?.spec.ipFamilies);
    spec.endpointFamily = follows ? familyOf(service) : before;
  }
  markDerived(service, isUnchanged && wasDerived);
}

/** An endpoint family without the family of a cluster IP: that address rejects connections. */
export function endpointFamilyWarnings({ spec }: Service): string[] {
  const allowed = spec.endpointFamily === "ipv4" ? "IPv4" : "IPv6";
  if (spec.endpointFamily === "dual-stack" || spec.endpointFamily === undefined) return [];
  if ((spec.clusterIPs ?? ["None"])[0] === "None") return [];
  const dead = (spec.ipFamilies ?? []).filter((family) => family !== allowed);
  return dead.map(
    (family) =>
      `spec.endpointFamily: ${spec.endpointFamily} leaves the ${family} cluster IP without endpoints; it rejects connections`,
  );
}

function familyOf({ spec }: Service): string {
  const families = spec.ipFamilies ?? [];
  if (families.length !== 1) return "dual-stack";
  return families[0] === "IPv4" ? "ipv4" : "ipv6";
}

/** The mark is the server's own: what a client writes there is overruled. */
function markDerived(service: Service, isDerived: boolean): void {
  const annotations = { ...service.metadata.annotations };
  if (isDerived) annotations[derivedAnnotation] = derivedValue;
  else delete annotations[derivedAnnotation];
  if (Object.keys(annotations).length > 0) service.metadata.annotations = annotations;
  else delete service.metadata.annotations;
}

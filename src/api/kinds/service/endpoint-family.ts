// endpointFamily: which addresses of its backends a service uses. A value that came from ipFamilies
// is marked by an annotation, because only such a value follows them when they change.
import { mentions } from "../../patch/mentions.ts";
import { valueAt } from "../../patch/pointer.ts";
import type { Service } from "../../types/core.ts";
import type { WriteContext } from "../kind.ts";
import { isHeadless, sameList } from "./needs.ts";

export const endpointFamilies = ["ipv4", "ipv6", "dual-stack"] as const;

export const derivedAnnotation = "tandem.internal/endpoint-family-from";
const derivedValue = "ipFamilies";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const decidingPolicies = ["SingleStack", "RequireDualStack"];

/** The fields that the request itself set, before the families were completed. */
export interface FamilyRequest {
  /** Says that the client set the value, rather than sending back one it had read. */
  readonly isExplicit: boolean;
  readonly isRemoved: boolean;
  readonly setsFamilies: boolean;
}

export function familyRequest(service: Service, context: WriteContext<Service>): FamilyRequest {
  const { old, patch } = context;
  const given: string | null | undefined = service.spec.endpointFamily;
  const isRemoved = given === null || given === "" || (given === undefined && patch !== undefined);
  return {
    isExplicit: Boolean(given) && isMeant(service, context),
    isRemoved,
    setsFamilies: old === undefined ? setsFamilies(service) : hasSetFamilies(service, old),
  };
}

/** Completes endpointFamily; runs after the families are complete. */
export function completeEndpointFamily(
  service: Service,
  request: FamilyRequest,
  { old }: WriteContext<Service>,
): void {
  const { spec } = service;
  if (spec.type === "ExternalName") {
    if (!spec.endpointFamily) delete spec.endpointFamily;
    markDerived(service, false);
    return;
  }
  if (request.isExplicit) {
    markDerived(service, false);
    return;
  }
  const before = old?.spec.endpointFamily;
  if (old === undefined || before === undefined || request.isRemoved) {
    spec.endpointFamily = request.setsFamilies ? familyOf(service) : "dual-stack";
    markDerived(service, request.setsFamilies);
    return;
  }
  const follows = isDerived(old) && !hasSameFamilies(service, old);
  spec.endpointFamily = follows ? familyOf(service) : before;
  markDerived(service, isDerived(old));
}

/** Warns of an endpoint family that leaves out a cluster IP's family: that address rejects connections. */
export function endpointFamilyWarnings(service: Service): string[] {
  const { spec } = service;
  const allowed = spec.endpointFamily === "ipv4" ? "IPv4" : "IPv6";
  if (spec.endpointFamily === "dual-stack" || spec.endpointFamily === undefined) return [];
  if (spec.type === "ExternalName" || isHeadless(service)) return [];
  const dead = (spec.ipFamilies ?? []).filter((family) => family !== allowed);
  return dead.map(
    (family) =>
      `spec.endpointFamily: ${spec.endpointFamily} leaves the ${family} cluster IP without endpoints; it rejects connections`,
  );
}

/**
 * Returns whether the client set the value itself. It did if the value differs from the stored one, if a
 * patch mentions it, if the manifest of `kubectl apply` has it (whose patch leaves out what is stored
 * already), or if an update has it without the mark that it was read with.
 */
function isMeant(service: Service, { old, patch, patchBody }: WriteContext<Service>): boolean {
  if (service.spec.endpointFamily !== old?.spec.endpointFamily) return true;
  if (patch === undefined) return !isDerived(service);
  return mentions(patchBody, ["spec", "endpointFamily"]) || isInNewManifest(service, old);
}

function isInNewManifest({ metadata, spec }: Service, old: Service | undefined): boolean {
  const text = metadata.annotations?.[lastApplied];
  if (text === undefined || text === old?.metadata.annotations?.[lastApplied]) return false;
  const manifest = readManifest(text);
  return valueAt(manifest, ["spec", "endpointFamily"]) === spec.endpointFamily;
}

/** Parses the last-applied manifest; the annotation may hold anything, since any client can write it. */
function readManifest(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns whether a service decides its own families; PreferDualStack alone leaves that to the cluster. */
function setsFamilies({ spec }: Service): boolean {
  return (spec.ipFamilies?.length ?? 0) > 0 || decidingPolicies.includes(spec.ipFamilyPolicy ?? "");
}

/** Returns whether a client has set the families; values that only the server filled in do not count. */
function hasSetFamilies(service: Service, old: Service): boolean {
  const { ipFamilies = [], ipFamilyPolicy } = service.spec;
  const changed = {
    ...(sameList(ipFamilies, old.spec.ipFamilies) ? {} : { ipFamilies }),
    ...(ipFamilyPolicy === undefined || ipFamilyPolicy === old.spec.ipFamilyPolicy
      ? {}
      : { ipFamilyPolicy }),
  };
  if (setsFamilies({ ...service, spec: changed }) || isDerived(old)) return true;
  return (
    isOwned(old, "ipFamilies") ||
    (isOwned(old, "ipFamilyPolicy") && decidingPolicies.includes(old.spec.ipFamilyPolicy ?? ""))
  );
}

function isOwned({ metadata }: Service, field: string): boolean {
  return (metadata.managedFields ?? []).some(
    ({ fieldsV1 }) => valueAt(fieldsV1, ["f:spec", `f:${field}`]) !== undefined,
  );
}

function hasSameFamilies({ spec }: Service, old: Service): boolean {
  return (
    sameList(spec.ipFamilies, old.spec.ipFamilies) &&
    spec.ipFamilyPolicy === old.spec.ipFamilyPolicy
  );
}

function familyOf({ spec }: Service): (typeof endpointFamilies)[number] {
  const families = spec.ipFamilies ?? [];
  if (families.length !== 1 || spec.ipFamilyPolicy === "PreferDualStack") return "dual-stack";
  return families[0] === "IPv4" ? "ipv4" : "ipv6";
}

function isDerived(service: Service | undefined): boolean {
  return service?.metadata.annotations?.[derivedAnnotation] === derivedValue;
}

/** Writes or removes the mark, which only the server sets: whatever a client writes there is replaced. */
function markDerived(service: Service, isMarked: boolean): void {
  const annotations = { ...service.metadata.annotations };
  if (isMarked) annotations[derivedAnnotation] = derivedValue;
  else delete annotations[derivedAnnotation];
  if (Object.keys(annotations).length > 0) service.metadata.annotations = annotations;
  else delete service.metadata.annotations;
}

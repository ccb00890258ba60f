// Families of addresses that a service uses of its backends, the default family first.

import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families, otherFamily } from "../../../base/net/family.ts";

/** Returns the families that Endpoints and slices of the service may hold, the preferred one first. */
export function wantedFamilies(service: Service): readonly Family[] {
  const own = ownFamilies(service);
  const allowed = allowedFamilies(service.spec.endpointFamily) ?? own;
  const first = own[0] ?? "IPv4";
  return [first, otherFamily(first)].filter((family) => allowed.includes(family));
}

/**
 * Returns the service's own families that its endpoints may hold: they have a slice that every client sees,
 * even an empty one.
 */
export function publicFamilies(service: Service): readonly Family[] {
  const own = ownFamilies(service);
  return wantedFamilies(service).filter((family) => own.includes(family));
}

/** Servers that do not know the field `endpointFamily` leave it out. */
function allowedFamilies(endpointFamily: string | undefined): readonly Family[] | undefined {
  if (endpointFamily === "ipv4") return ["IPv4"];
  if (endpointFamily === "ipv6") return ["IPv6"];
  return endpointFamily === "dual-stack" ? families : undefined;
}

/** Services older than dual-stack have at most a cluster IP, and no list of families. */
function ownFamilies({ spec }: Service): readonly Family[] {
  const given = (spec.ipFamilies ?? []).filter(isFamily);
  if (given.length > 0) return given;
  const family = Address.tryParse(spec.clusterIP ?? "")?.family;
  return family === undefined ? families : [family];
}

function isFamily(text: string): text is Family {
  return text === "IPv4" || text === "IPv6";
}

// Which addresses of its backends a service uses, the default family first.

import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families, otherFamily } from "../../../base/net/family.ts";

/** The families that endpoints and slices of the service may hold, the preferred one first. */
export function wantedFamilies(service: Service): readonly Family[] {
  const own = ownFamilies(service);
  const allowed = allowedFamilies(service.spec.endpointFamily) ?? own;
  const first = own[0] ?? "IPv4";
  return [first, otherFamily(first)].filter((family) => allowed.includes(family));
}

/**
 * Those of the service's own families that its endpoints may hold: they have a slice that every client
 * sees, even while nothing is in it.
 */
export function publicFamilies(service: Service): readonly Family[] {
  const own = ownFamilies(service);
  return wantedFamilies(service).filter((family) => own.includes(family));
}

/** Servers that do not know the field leave it out. */
function allowedFamilies(endpointFamily: string | undefined): readonly Family[] | undefined {
  if (endpointFamily === "ipv4") return ["IPv4"];
  if (endpointFamily === "ipv6") return ["IPv6"];
  return endpointFamily === "dual-stack" ? families : undefined;
}

/** Services from before there were families have a cluster IP at most. */
function ownFamilies({ spec }: Service): readonly Family[] {
  const given = (spec.ipFamilies ?? []).filter(isFamily);
  if (given.length > 0) return given;
  const family = Address.tryParse(spec.clusterIP ?? "")?.family;
  return family === undefined ? families : [family];
}

function isFamily(text: string): text is Family {
  return text === "IPv4" || text === "IPv6";
}

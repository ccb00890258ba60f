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

/** The families that have a slice even while nothing is in it, so that readers see the service. */
export function lastingFamilies(service: Service): readonly Family[] {
  const wanted = wantedFamilies(service);
  const own = ownFamilies(service);
  const lasting = wanted.filter((family) => own.includes(family));
  return lasting.length > 0 ? lasting : wanted;
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

// A claim: the addresses that a service of type LoadBalancer asks for.

import { keyOf } from "../../../api/client/objects.ts";
import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { AllocationProblem } from "./problem.ts";

export interface Claim {
  readonly key: string;
  readonly families: readonly Family[];
  /** The families that must not be missing. */
  readonly needed: readonly Family[];
  readonly requested: readonly Address[];
  /** The addresses that the service has now. */
  readonly held: readonly Address[];
  /** The ports, such as `TCP 80`, which services that share an address must not have in common. */
  readonly ports: readonly string[];
  /** The key that services must have in common to share an address. */
  readonly sharingKey: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly problems: readonly AllocationProblem[];
}

export const balancerClass = "tandem.internal/balancer";
const addressesAnnotation = "tandem.internal/load-balancer-ips";
const sharingAnnotation = "tandem.internal/shared-address";
const derivedAnnotation = "tandem.internal/endpoint-family-from";

/** Whether this controller is responsible; services of another load balancer class are not ours. */
export function isOurs({ metadata, spec }: Service): boolean {
  const { loadBalancerClass = balancerClass } = spec;
  return (
    spec.type === "LoadBalancer" &&
    loadBalancerClass === balancerClass &&
    metadata.deletionTimestamp === undefined
  );
}

export function readClaim(
  service: Service,
  namespaceLabels: Readonly<Record<string, string>>,
): Claim {
  const { metadata, spec, status } = service;
  const { annotations = {}, labels = {} } = metadata;
  const problems: AllocationProblem[] = [];
  const requested = requests(service, problems);
  const wanted = wantedFamilies(service);
  for (const address of requested.filter(({ family }) => !wanted.includes(family))) {
    const message = `Cannot assign ${address}: the service wants no ${address.family} address`;
    problems.push({ reason: "FamilyMismatch", message });
  }
  return {
    key: keyOf(service),
    families: wanted,
    needed: wanted.filter((family) => (spec.ipFamilies ?? []).includes(family)),
    requested: requested.filter(({ family }) => wanted.includes(family)),
    held: (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }) => {
      const address = Address.tryParse(ip);
      return address === undefined ? [] : [address];
    }),
    ports: (spec.ports ?? []).map(({ protocol = "TCP", port }) => `${protocol} ${port}`),
    sharingKey: annotations[sharingAnnotation] || undefined,
    labels,
    namespaceLabels,
    problems,
  };
}

/** The families to allocate; an endpointFamily that was derived from ipFamilies adds none. */
function wantedFamilies({ metadata, spec }: Service): readonly Family[] {
  const own = (spec.ipFamilies ?? []).filter(
    (family): family is Family => family === "IPv4" || family === "IPv6",
  );
  const isDerived = metadata.annotations?.[derivedAnnotation] !== undefined;
  const first = own[0] === "IPv6" ? families.toReversed() : families;
  if (!isDerived && spec.endpointFamily === "dual-stack") return first;
  if (!isDerived && spec.endpointFamily === "ipv4") return ["IPv4"];
  if (!isDerived && spec.endpointFamily === "ipv6") return ["IPv6"];
  return own.length > 0 ? own : families;
}

function requests(service: Service, problems: AllocationProblem[]): Address[] {
  const { annotations = {} } = service.metadata;
  const fields: [field: string, text: string][] = [
    ["spec.loadBalancerIP", service.spec.loadBalancerIP ?? ""],
    ...(annotations[addressesAnnotation] ?? "")
      .split(",")
      .map((text): [string, string] => [
        `metadata.annotations[${addressesAnnotation}]`,
        text.trim(),
      ]),
  ];
  const found: Address[] = [];
  for (const [field, text] of fields) {
    if (text === "") continue;
    const address = Address.tryParse(text);
    if (address === undefined) {
      const message = `Cannot assign ${field} ${JSON.stringify(text)}: it is not an address`;
      problems.push({ reason: "BadRequest", message });
    } else if (!found.some((other) => other.equals(address))) {
      found.push(address);
    }
  }
  return found;
}

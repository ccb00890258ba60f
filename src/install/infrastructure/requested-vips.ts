import type { FieldError } from "../../api/fields/field-error.ts";
import { invalid } from "../../api/fields/field-errors.ts";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { type Taken, vipConflict } from "../config/config.ts";
import { canonical } from "./keep-in-step.ts";
import type { PlatformSpec, PlatformStatus } from "./object.ts";

const uses = [
  { field: "apiServerInternalIPs", title: "API" },
  { field: "ingressIPs", title: "Ingress" },
] as const;

interface Request extends Omit<Taken, "machineNetworks"> {
  readonly spec: PlatformSpec;
  readonly status: PlatformStatus;
  /** The field path of the spec. */
  readonly path: string;
}

/**
 * The operator's rules for requests in a spec: the second VIP of each use may come, change and go; the first
 * one, and the first machine network, never change.
 */
export function requestErrors(request: Request): FieldError[] {
  return [
    ...machineNetworkErrors(request),
    ...countErrors(request),
    ...equalityErrors(request),
    ...uses.flatMap((use) => [
      ...familyErrors(request, use),
      ...membershipErrors(request, use),
      ...conflictErrors(request, use),
      ...firstVipErrors(request, use),
    ]),
  ];
}

function machineNetworkErrors({ spec, status, path }: Request): FieldError[] {
  const field = `${path}.machineNetworks`;
  const requested = spec.machineNetworks ?? [];
  const [first] = requested;
  const [present] = status.machineNetworks ?? [];
  const errors = requested
    .filter((text) => Prefix.tryParse(text) === undefined)
    .map((text) => invalid(field, text, "is not a network"));
  if (present === undefined) return errors;
  if (first === undefined) {
    return [...errors, invalid(field, [], "removing machine networks is forbidden")];
  }
  if (canonicalPrefix(first) === canonicalPrefix(present)) return errors;
  const detail = `first machine network cannot be modified, have '${present}' and requested '${first}'`;
  return [...errors, invalid(field, first, detail)];
}

function countErrors({ spec, path }: Request): FieldError[] {
  const errors = uses.flatMap(({ field, title }) => {
    const count = spec[field]?.length ?? 0;
    const detail = `number of ${title} VIPs needs to be less or equal to 2, got ${count}`;
    return count > 2 ? [invalid(`${path}.${field}`, spec[field], detail)] : [];
  });
  const [api = 0, ingress = 0] = uses.map(({ field }) => spec[field]?.length);
  if (api === ingress) return errors;
  const detail = `number of API VIPs (${api}) does not match number of Ingress VIPs (${ingress})`;
  return [...errors, invalid(`${path}.ingressIPs`, spec.ingressIPs ?? [], detail)];
}

/** The errors of equal API and ingress VIPs, which only a load balancer of the user's own may have. */
function equalityErrors({ spec, status, path }: Request): FieldError[] {
  if (status.loadBalancer?.type === "UserManaged") return [];
  return (spec.apiServerInternalIPs ?? []).flatMap((api) => {
    const same = spec.ingressIPs?.find((ingress) => isSame(ingress, api));
    if (same === undefined) return [];
    const detail = `VIPs cannot be equal, got '${api}' for API and '${same}' for Ingress`;
    return [invalid(`${path}.apiServerInternalIPs`, api, detail)];
  });
}

type Use = (typeof uses)[number];

function familyErrors({ spec, path }: Request, { field, title }: Use): FieldError[] {
  const texts = spec[field] ?? [];
  const errors = texts
    .filter((text) => Address.tryParse(text) === undefined)
    .map((text) => invalid(`${path}.${field}`, text, "is not an address"));
  const families = new Set(texts.map((text) => Address.tryParse(text)?.family));
  if (errors.length > 0 || texts.length !== 2 || families.size === 2) return errors;
  const detail = `with more than 1 ${title} VIP at least one from each IP family is required`;
  return [invalid(`${path}.${field}`, texts, detail)];
}

function membershipErrors({ spec, path }: Request, { field }: Use): FieldError[] {
  const networks = (spec.machineNetworks ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
  if (networks.length === 0) return [];
  return (spec[field] ?? []).flatMap((text) => {
    const vip = Address.tryParse(text);
    if (vip === undefined || networks.some((network) => network.contains(vip))) return [];
    const detail = `VIP '${text}' cannot be found in any machine network`;
    return [invalid(`${path}.${field}`, text, detail)];
  });
}

/** The errors of conflicting VIPs; one in force may be among the addresses of the node that holds it. */
function conflictErrors(request: Request, { field }: Use): FieldError[] {
  const { spec, status, path } = request;
  const machineNetworks = (spec.machineNetworks ?? []).flatMap(
    (text) => Prefix.tryParse(text) ?? [],
  );
  const inForce = status[field] ?? [];
  return (spec[field] ?? []).flatMap((text) => {
    const vip = Address.tryParse(text);
    if (vip === undefined || inForce.some((other) => isSame(other, text))) return [];
    const conflict = vipConflict(vip, { ...request, machineNetworks });
    if (conflict === undefined) return [];
    return [invalid(`${path}.${field}`, text, `VIP '${text}' ${conflict}`)];
  });
}

function firstVipErrors({ spec, status, path }: Request, { field }: Use): FieldError[] {
  const [requested] = spec[field] ?? [];
  const [present] = status[field] ?? [];
  if (requested === undefined || present === undefined || isSame(requested, present)) return [];
  const detail = `first VIP cannot be modified, have '${present}' and requested '${requested}'`;
  return [invalid(`${path}.${field}`, requested, detail)];
}

function isSame(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

function canonicalPrefix(text: string): string {
  return Prefix.tryParse(text)?.toString() ?? text;
}

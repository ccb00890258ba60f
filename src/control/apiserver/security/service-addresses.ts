// Refuses addresses that a service may not take: those of the API, of nodes, of pods, of other services, and
// the cluster's virtual ones. The service would receive their traffic, on every node.
import { forbidden as forbiddenField } from "../../../api/fields/field-errors.ts";
import type { Endpoints, Node, Service } from "../../../api/types/core.ts";
import type { ServiceCIDR } from "../../../api/types/networking.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Admission } from "../access.ts";
import { invalid } from "../errors.ts";
import type { ObjectReader } from "./objects.ts";

export interface ReservedAddresses {
  /** Says that the check is off: services may take any address, as in Kubernetes. */
  readonly isOpen: boolean;
  /** The address ranges of services and pods. */
  readonly ranges: readonly { readonly cidr: string; readonly what: string }[];
  /** The addresses of this server. */
  readonly own: readonly string[];
}

const kind = { group: "", name: "Service" };
/** The collection with the virtual addresses of the control plane, which is a custom resource. */
const infrastructures = "config.openshift.io/infrastructures";

export function serviceAddresses(objects: ObjectReader, reserved: ReservedAddresses): Admission {
  return {
    admit(_user, { group, resource }, change) {
      if (reserved.isOpen || group !== "" || resource !== "services") return;
      if (change.new === undefined) return;
      const before = new Set(taken(change.old as Service | undefined).map(({ text }) => text));
      // Addresses that the service already has do not prevent other changes.
      const added = taken(change.new as Service).filter(({ text }) => !before.has(text));
      if (added.length === 0) return;
      const owners = ownersOf(objects, reserved);
      const errors = added.flatMap(({ field, text }) => {
        const address = Address.tryParse(text);
        const owner = address && owners(address);
        if (owner === undefined) return [];
        const detail = `may not be ${text}, which is ${owner}; the server's option --allow-reserved-service-addresses allows it`;
        return [forbiddenField(field, detail)];
      });
      if (errors.length === 0) return;
      throw invalid(kind, (change.new as Service).metadata.name ?? "", errors);
    },
  };
}

/** Returns the external addresses in the spec and status of a service. */
function taken(service: Service | undefined): { field: string; text: string }[] {
  const { spec, status } = service ?? {};
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [
    ...(spec?.externalIPs ?? []).map((text, n) => ({ field: `spec.externalIPs[${n}]`, text })),
    ...(spec?.loadBalancerIP ? [{ field: "spec.loadBalancerIP", text: spec.loadBalancerIP }] : []),
    ...ingress.flatMap(({ ip }, n) =>
      ip ? [{ field: `status.loadBalancer.ingress[${n}].ip`, text: ip }] : [],
    ),
  ];
}

/** Returns a function that finds the owner of an address; it returns `undefined` when there is none. */
function ownersOf(
  objects: ObjectReader,
  { ranges, own }: ReservedAddresses,
): (address: Address) => string | undefined {
  const single = new Map<string, string>();
  const note = (text: string | undefined, what: string) => {
    const address = text === undefined ? undefined : Address.tryParse(text);
    if (address !== undefined) single.set(address.toString(), what);
  };
  const prefixes: { prefix: Prefix; what: string }[] = [];
  const noteRange = (text: string, what: string) => {
    const prefix = Prefix.tryParse(text);
    if (prefix !== undefined) prefixes.push({ prefix, what });
  };
  for (const { metadata, spec, status } of objects.list("nodes") as Iterable<Node>) {
    for (const { address } of status?.addresses ?? []) {
      note(address, `an address of the node ${metadata.name}`);
    }
    for (const cidr of spec?.podCIDRs ?? []) noteRange(cidr, `in the pod CIDR of ${metadata.name}`);
  }
  for (const { spec } of objects.list("servicecidrs") as Iterable<ServiceCIDR>) {
    for (const cidr of spec?.cidrs ?? []) noteRange(cidr, `in the service CIDR ${cidr}`);
  }
  for (const { cidr, what } of ranges) noteRange(cidr, what);
  for (const infrastructure of objects.list(infrastructures)) {
    for (const text of addressesIn(infrastructure)) note(text, "a virtual address of the cluster");
  }
  const api = objects.get("endpoints", "default", "kubernetes") as Endpoints | undefined;
  const published = (api?.subsets ?? []).flatMap(({ addresses = [] }) => addresses);
  for (const { ip } of published) note(ip, "an address of the API server");
  for (const text of own) note(text, "an address of the API server");
  return (address) =>
    single.get(address.toString()) ??
    prefixes.find(({ prefix }) => prefix.family === address.family && prefix.contains(address))
      ?.what;
}

/** Returns all texts of an Infrastructure that are addresses: it has several fields for them. */
function addressesIn(value: unknown): string[] {
  if (typeof value === "string") return Address.tryParse(value) === undefined ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(addressesIn);
}

import { Address } from "../../../base/net/address.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { required } from "../../fields/field-errors.ts";
import { dnsSubdomain, pathSegment } from "../../fields/names.ts";
import type { IPAddress, ParentReference } from "../../types/networking.ts";
import { immutable, optionalName, presentName } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

export const ipAddress: Kind<IPAddress> = {
  name: canonicalAddress,
  hasGeneration: false,
  validate: ({ spec }) =>
    spec?.parentRef === undefined ? [required("spec.parentRef")] : parentErrors(spec.parentRef),
  validateUpdate: ({ spec }, old) =>
    immutable("spec.parentRef", spec?.parentRef, old.spec?.parentRef),
  selectableFields: ["spec.parentRef.group", "spec.parentRef.resource", "spec.parentRef.name"],
  selectableField: ({ spec }, field) =>
    spec.parentRef[field.slice("spec.parentRef.".length) as keyof ParentReference] ?? "",
  table: table<IPAddress>([
    nameColumn,
    text("ParentRef", ({ spec }) => parentText(spec.parentRef)),
    ageColumn,
  ]),
};

/** Returns the canonical form of an address. It must be the object's name, so each address has one object. */
function canonicalAddress(name: string): string[] {
  const address = Address.tryParse(name);
  if (address === undefined) {
    return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  }
  const canonical = address.toString();
  return canonical === name ? [] : [`must be in canonical form ("${canonical}")`];
}

function parentErrors({ group, resource, name, namespace }: ParentReference): FieldError[] {
  const path = "spec.parentRef";
  return [
    ...optionalName(`${path}.group`, group, dnsSubdomain),
    ...presentName(`${path}.resource`, resource, pathSegment),
    ...presentName(`${path}.name`, name, pathSegment),
    ...optionalName(`${path}.namespace`, namespace, pathSegment),
  ];
}

function parentText({ group, resource, name, namespace }: ParentReference): string {
  const kind = group ? `${resource}.${group}` : resource;
  return [kind.toLowerCase(), ...(namespace ? [namespace] : []), name].join("/");
}

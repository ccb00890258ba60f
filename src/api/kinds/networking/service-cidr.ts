import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import type { ServiceCIDR } from "../../types/networking.ts";
import { each } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

const path = "spec.cidrs";
const fixed = "field is immutable";

export const serviceCIDR: Kind<ServiceCIDR> = specAndStatus<ServiceCIDR>({
  hasGeneration: false,
  default(object) {
    object.spec ??= {};
  },
  initialStatus: () => ({}),
  validate: ({ spec }) => listErrors(spec.cidrs ?? []),
  validateUpdate: changeErrors,
  table: table<ServiceCIDR>([
    nameColumn,
    text("CIDRs", ({ spec }) => (spec.cidrs ?? []).join(",")),
    ageColumn,
  ]),
});

function listErrors(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(path, "at least one CIDR required")];
  if (cidrs.length > 2) return [invalid(path, cidrs, "may only hold up to 2 values")];
  const [first, second] = cidrs.map((cidr) => Prefix.tryParse(cidr)?.family);
  const detail =
    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
  return [
    ...each(cidrs, path, prefixErrors),
    ...(first !== undefined && first === second ? [invalid(path, cidrs, detail)] : []),
  ];
}

/** Checks that a CIDR is in canonical form, because names of other objects are derived from it. */
function prefixErrors(cidr: string, field: string): FieldError[] {
  const prefix = Prefix.tryParse(cidr);
  if (prefix === undefined) {
    const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    return [invalid(field, cidr, detail)];
  }
  if (Address.tryParse(cidr.replace(/\/.*/, ""))?.equals(prefix.first) !== true) {
    return [invalid(field, cidr, "must not have bits set beyond the prefix length")];
  }
  const canonical = prefix.toString();
  return canonical === cidr
    ? []
    : [invalid(field, cidr, `must be in canonical form ("${canonical}")`)];
}

/** Refuses changes of a range that addresses were taken from; only a second family may be added. */
function changeErrors({ spec }: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const now = spec.cidrs ?? [];
  const before = old.spec.cidrs ?? [];
  const isGrown = before.length === 1 && now.length === 2;
  if (now.length !== before.length && !isGrown) return [invalid(path, now, fixed)];
  return each(before, path, (cidr, field, index) =>
    now[index] === cidr ? [] : [invalid(field, now[index], fixed)],
  );
}

// Checks of clusterIPs, ipFamilies and ipFamilyPolicy against each other, and what an update may change.
import { Address } from "../../../base/net/address.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, notSupported } from "../../fields/field-errors.ts";
import type { Service } from "../../types/core.ts";
import { addressErrors as malformedAddressErrors } from "../address-errors.ts";
import { isHeadless } from "./needs.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

export function validateFamilyFields(service: Service): FieldError[] {
  const { spec } = service;
  if (spec.type === "ExternalName") return [];
  const errors = [...familyErrors(spec.ipFamilies ?? [])];
  if (spec.ipFamilyPolicy !== undefined && !policies.includes(spec.ipFamilyPolicy)) {
    errors.push(notSupported("spec.ipFamilyPolicy", spec.ipFamilyPolicy, policies));
  }
  const ips = spec.clusterIPs ?? [];
  if (ips.length > 2) {
    errors.push(invalid("spec.clusterIPs", ips, "may only hold up to 2 values"));
  }
  const malformed = addressErrors(ips);
  if (malformed.length > 0) return [...errors, ...malformed];
  if (!isHeadless(service)) errors.push(...mismatchErrors(ips, spec.ipFamilies ?? []));
  return errors;
}

/** Checks an update: the first address and family never change, the second comes and goes with the policy. */
export function validateFamilyUpdate(service: Service, old: Service): FieldError[] {
  if (service.spec.type === "ExternalName" || old.spec.type === "ExternalName") return [];
  const isNowHeadless = isHeadless(service);
  const wasHeadless = isHeadless(old);
  if (isNowHeadless && wasHeadless) return [];
  const errors = changeErrors("clusterIPs", service, old);
  if (isNowHeadless === wasHeadless) errors.push(...changeErrors("ipFamilies", service, old));
  return errors;
}

function familyErrors(list: readonly string[]): FieldError[] {
  return list.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    if (!families.includes(family)) return [notSupported(field, family, families)];
    return list.indexOf(family) < index ? [duplicate(field, family)] : [];
  });
}

function addressErrors(ips: readonly string[]): FieldError[] {
  if (ips.length > 1 && ips.includes("None")) {
    return [invalid("spec.clusterIPs", ips, "'None' must be the first and only value")];
  }
  return ips.flatMap((text, index) => {
    return text === "None" ? [] : malformedAddressErrors(`spec.clusterIPs[${index}]`, text);
  });
}

function mismatchErrors(ips: readonly string[], wanted: readonly string[]): FieldError[] {
  const found = ips.map((text) => Address.tryParse(text)?.family);
  const errors: FieldError[] = [];
  if (new Set(found).size < ips.length) {
    const detail = "may specify no more than one IP for each IP family";
    errors.push(invalid("spec.clusterIPs", ips, detail));
  }
  for (const [index, family] of wanted.entries()) {
    if (found[index] === undefined || found[index] === family) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(`spec.clusterIPs[${index}]`, ips[index], detail));
  }
  return errors;
}

function changeErrors(
  field: "clusterIPs" | "ipFamilies",
  { spec }: Service,
  old: Service,
): FieldError[] {
  const now = spec[field] ?? [];
  const before = old.spec[field] ?? [];
  const singular = field === "clusterIPs" ? "clusterIP" : "ipFamily";
  const errors: FieldError[] = [];
  if (before.length > 0 && now.length === 0) {
    return [invalid(`spec.${field}[0]`, now, `primary ${singular} can not be unset`)];
  }
  const shared = Math.min(now.length, before.length);
  // The second value may be exchanged only by giving it up first.
  for (let index = 0; index < shared; index += 1) {
    if (now[index] === before[index]) continue;
    errors.push(invalid(`spec.${field}[${index}]`, now, "may not change once set"));
  }
  if (now.length === 1 && before.length === 2 && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${singular}`;
    errors.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, detail));
  }
  return errors;
}

// ipFamilyPolicy, ipFamilies and clusterIPs: three fields that imply each other. The request may set
// any of them; here the others follow, as current Kubernetes lets them.
import { Address } from "../../../base/net/address.ts";
import { type Family, otherFamily } from "../../../base/net/family.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import type { Service, ServiceSpec } from "../../types/core.ts";
import { isHeadless, sameList } from "./needs.ts";
import { validateFamilyFields } from "./validate-families.ts";

/** Completes the fields, or returns what is wrong with them. */
export function completeFamilies(
  service: Service,
  old: Service | undefined,
  configured: readonly Family[],
): FieldError[] {
  const { spec } = service;
  if (spec.type === "ExternalName") return [];
  if (old !== undefined && isUntouchedPreference(service, old)) return [];

  spec.ipFamilyPolicy ??= defaultPolicy(service, old);
  const malformed = validateFamilyFields(service);
  if (malformed.length > 0) return malformed;

  const errors = [
    ...(old === undefined ? [] : release(service, old)),
    ...policyErrors(service),
    ...inferFamilies(service, configured),
  ];
  if (errors.length > 0) return errors;

  const isFree = isHeadless(service) && Object.keys(spec.selector ?? {}).length === 0;
  if (!isFree) {
    const unavailable = availabilityErrors(service, configured);
    if (unavailable.length > 0) return unavailable;
  }
  const families = (spec.ipFamilies ??= []) as Family[];
  const [defaultFamily] = configured;
  if (families.length === 0 && defaultFamily !== undefined) families.push(defaultFamily);
  const [first] = families;
  // A headless service without a selector gets no addresses, so it may have a family that the cluster lacks.
  const canBeDual = isFree || configured.length === 2;
  if (spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && canBeDual && first) {
    families.push(otherFamily(first));
  }
  return [];
}

/** Returns whether a service that prefers dual stack stays as it is while the cluster's families change. */
function isUntouchedPreference(service: Service, old: Service): boolean {
  return (
    service.spec.ipFamilyPolicy === "PreferDualStack" &&
    old.spec.ipFamilyPolicy === "PreferDualStack" &&
    old.spec.type !== "ExternalName" &&
    isHeadless(service) === isHeadless(old) &&
    sameList(service.spec.clusterIPs, old.spec.clusterIPs) &&
    sameList(service.spec.ipFamilies, old.spec.ipFamilies)
  );
}

/** Returns the default policy. An update keeps the stored one: families change only on request. */
function defaultPolicy(
  service: Service,
  old: Service | undefined,
): NonNullable<ServiceSpec["ipFamilyPolicy"]> {
  if (old?.spec.ipFamilyPolicy !== undefined) return old.spec.ipFamilyPolicy;
  const hasSelector = Object.keys(service.spec.selector ?? {}).length > 0;
  return isHeadless(service) && !hasSelector ? "RequireDualStack" : "SingleStack";
}

/** Gives the second family up when SingleStack alone is set; no other update may lose one. */
function release(service: Service, old: Service): FieldError[] {
  const { spec } = service;
  if (spec.ipFamilyPolicy === "SingleStack") {
    if (sameList(spec.clusterIPs, old.spec.clusterIPs) && (spec.clusterIPs?.length ?? 0) > 1) {
      spec.clusterIPs = spec.clusterIPs?.slice(0, 1) ?? [];
    }
    if (sameList(spec.ipFamilies, old.spec.ipFamilies) && (spec.ipFamilies?.length ?? 0) > 1) {
      spec.ipFamilies = spec.ipFamilies?.slice(0, 1) ?? [];
    }
    return [];
  }
  const errors: FieldError[] = [];
  const isReduced = (now: readonly string[] | undefined, before: readonly string[] | undefined) =>
    now?.length === 1 && before?.length === 2;
  const path = "spec.ipFamilyPolicy";
  if (isReduced(spec.clusterIPs, old.spec.clusterIPs)) {
    const detail = "must be 'SingleStack' to release the secondary cluster IP";
    errors.push(invalid(path, spec.ipFamilyPolicy, detail));
  }
  if (isReduced(spec.ipFamilies, old.spec.ipFamilies)) {
    const detail = "must be 'SingleStack' to release the secondary IP family";
    errors.push(invalid(path, spec.ipFamilyPolicy, detail));
  }
  return errors;
}

function policyErrors({ spec }: Service): FieldError[] {
  if (spec.ipFamilyPolicy !== "SingleStack") return [];
  const two = [
    { list: spec.clusterIPs, what: "cluster IPs" },
    { list: spec.ipFamilies, what: "IP families" },
  ];
  return two
    .filter(({ list }) => list?.length === 2)
    .map(({ what }) =>
      invalid(
        "spec.ipFamilyPolicy",
        spec.ipFamilyPolicy,
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      ),
    );
}

/** Derives families that were not given from the addresses that were. */
function inferFamilies({ spec }: Service, configured: readonly Family[]): FieldError[] {
  const errors: FieldError[] = [];
  const families = [...(spec.ipFamilies ?? [])];
  for (const [index, text] of (spec.clusterIPs ?? []).entries()) {
    if (text === "None" || index < families.length) continue;
    const { family } = Address.parse(text);
    if (configured.includes(family)) {
      families.push(family);
    } else {
      const detail = `${family} is not configured on this cluster`;
      errors.push(invalid(`spec.clusterIPs[${index}]`, spec.clusterIPs, detail));
    }
  }
  if (families.length > 0) spec.ipFamilies = families;
  return errors;
}

function availabilityErrors({ spec }: Service, configured: readonly Family[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === "RequireDualStack" && configured.length < 2) {
    const detail = "this cluster is not configured for dual-stack services";
    errors.push(invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, detail));
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (configured.some((one) => one === family)) continue;
    errors.push(invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  }
  return errors;
}

// Amounts of resources a container asks for: known names, whole numbers where only those make sense,
// and no request above its limit.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import { qualifiedName } from "../../fields/names.ts";
import { formatQuantity, nanosOf, parseQuantity } from "../../fields/quantity.ts";
import type { ResourceRequirements } from "../../types/core.ts";

const divisible = ["cpu", "ephemeral-storage", "memory"];
/** The resource names that mean something in quotas, but not to a container. */
const otherStandard = [
  "pods",
  "services",
  "secrets",
  "configmaps",
  "storage",
  "replicationcontrollers",
];
const huge = "hugepages-";

export function resourceErrors(
  { limits = {}, requests = {} }: ResourceRequirements,
  path: string,
): FieldError[] {
  const all = { ...limits, ...requests };
  const hasHuge = Object.keys(all).some((name) => name.startsWith(huge));
  const hasOthers = "cpu" in all || "memory" in all;
  return [
    ...Object.entries(limits).flatMap(([name, amount]) =>
      amountErrors(name, amount, `${path}.limits[${name}]`),
    ),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...amountErrors(name, amount, `${path}.requests[${name}]`),
      ...ratioErrors({ name, request: amount, limit: own(limits, name) }, path),
    ]),
    ...(hasHuge && !hasOthers ? [forbidden(path, "HugePages require cpu or memory")] : []),
  ];
}

/** Returns an amount by name. Only own properties count: names come from requests, even `constructor`. */
function own(amounts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(amounts, name) ? amounts[name] : undefined;
}

function amountErrors(name: string, amount: string, field: string): FieldError[] {
  const nanos = nanosOf(amount);
  const isWhole =
    divisible.includes(name) || name.startsWith(huge) || nanos % 1_000_000_000n === 0n;
  return [
    ...nameErrors(name, field),
    ...(nanos < 0n ? [invalid(field, amount, "must be greater than or equal to 0")] : []),
    ...(isWhole ? [] : [invalid(field, amount, "must be an integer")]),
    ...(isWholePages(name, nanos)
      ? []
      : [invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)]),
  ];
}

function nameErrors(name: string, field: string): FieldError[] {
  const problems = qualifiedName(name).map((problem) => invalid(field, name, problem));
  if (name.includes("/")) {
    if (problems.length > 0 || isNative(name) || isExtended(name)) return problems;
    return [invalid(field, name, "doesn't follow extended resource name standard")];
  }
  if (divisible.includes(name) || name.startsWith(huge)) return problems;
  const isStandard = otherStandard.includes(name) || problems.length > 0;
  const unknown = invalid(field, name, "must be a standard resource type or fully qualified");
  const misplaced = invalid(field, name, "must be a standard resource for containers");
  return [...problems, ...(isStandard ? [] : [unknown]), misplaced];
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Returns whether a resource is an extended one, under a domain outside of Kubernetes. */
function isExtended(name: string): boolean {
  return !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
}

function isWholePages(name: string, nanos: bigint): boolean {
  if (!name.startsWith(huge)) return true;
  const [, size = "1"] = name.split("-", 2);
  const page = /^\d+(?:[KMGTPE]i)?$/.test(size) ? nanosOf(size) : 1n;
  return nanos > 0n && nanos % page === 0n;
}

function ratioErrors(
  { name, request, limit }: { name: string; request: string; limit: string | undefined },
  path: string,
): FieldError[] {
  const isShareable = isNative(name) && !name.startsWith(huge);
  if (limit === undefined) {
    const detail = "Limit must be set for non overcommitable resources";
    return isShareable ? [] : [required(`${path}.limits`, detail)];
  }
  const excess = nanosOf(request) - nanosOf(limit);
  const shown = formatQuantity(parseQuantity(limit));
  const field = `${path}.requests`;
  if (!isShareable && excess !== 0n) {
    return [invalid(field, request, `must be equal to ${name} limit of ${shown}`)];
  }
  if (excess <= 0n) return [];
  return [invalid(field, request, `must be less than or equal to ${name} limit of ${shown}`)];
}

// Determines which VIPs are in force, whatever was written into the status.

import type { FieldError } from "../../api/fields/field-error.ts";
import { invalid } from "../../api/fields/field-errors.ts";
import { Address } from "../../base/net/address.ts";
import { canonical } from "./keep-in-step.ts";
import type { PlatformSpec, PlatformStatus } from "./object.ts";

const fields = ["apiServerInternalIPs", "ingressIPs"] as const;
type Field = (typeof fields)[number];

export interface Witnesses {
  /** The status as it is now, with its deprecated fields synced. */
  readonly written: PlatformStatus;
  /** The VIPs that were in force last, if known. */
  readonly recorded: PlatformStatus | undefined;
  readonly spec: PlatformSpec;
}

/**
 * The VIPs in force. Two of spec, status and record agree on the first VIP, which never changes; the third
 * was written without permission. A list with anything but addresses never counts.
 */
export function inForce({ written, recorded, spec }: Witnesses): PlatformStatus {
  const listOf = (field: Field): string[] => {
    const [now, before] = [usable(written[field]), usable(recorded?.[field])];
    if (before.length === 0) return now;
    return now.length > 0 && isSame(now[0], spec[field]?.[0]) ? now : before;
  };
  const { apiServerInternalIPs: _, ingressIPs: __, ...others } = { ...recorded, ...written };
  const [apiServerInternalIPs, ingressIPs] = [listOf("apiServerInternalIPs"), listOf("ingressIPs")];
  return {
    ...others,
    ...(apiServerInternalIPs.length > 0 && { apiServerInternalIPs }),
    ...(ingressIPs.length > 0 && { ingressIPs }),
  };
}

/** The values in a status that are wrong; a status that was lost has none. */
export function overruled(
  { written, recorded }: Witnesses,
  desired: PlatformStatus,
  path: string,
): FieldError[] {
  return fields.flatMap((field) => {
    const [texts, present = []] = [written[field], desired[field]];
    const areTheSame = (list: readonly string[] = []) =>
      list.map(canonical).join() === (texts ?? []).map(canonical).join();
    if (texts === undefined || areTheSame(present) || areTheSame(recorded?.[field])) return [];
    return [invalid(`${path}.${field}`, texts, problemOf(texts, present))];
  });
}

function problemOf(texts: readonly string[], present: readonly string[]): string {
  const wrong = texts.find((text) => Address.tryParse(text) === undefined);
  if (wrong !== undefined) return `'${wrong}' is not an address`;
  const [requested, have] = [texts[0], present[0]];
  if (!isSame(requested, have) && have !== undefined) {
    return `first VIP cannot be modified, have '${have}' and requested '${requested ?? ""}'`;
  }
  return `VIPs change by the spec, have '${present.join(", ")}' and requested '${texts.join(", ")}'`;
}

function usable(list: readonly string[] = []): string[] {
  return list.every((text) => Address.tryParse(text) !== undefined) ? [...list] : [];
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && canonical(one) === canonical(other);
}

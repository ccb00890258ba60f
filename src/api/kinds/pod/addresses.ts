// The addresses of a pod: reconciles the lists with the singular fields, and checks them.
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import { qualifiedName } from "../../fields/names.ts";
import { completePair, type PairHolder, reconcilePair, valuesOf } from "../../pairs/pair.ts";
import { hostIPs, podIPs } from "../../pairs/pairs.ts";
import type { PodIP, PodStatus } from "../../types/core.ts";
import { addressErrors } from "../address-errors.ts";
import type { WriteContext } from "../kind.ts";
import { isDefaultAddress } from "./properties.ts";

const pairs = [podIPs, hostIPs];
/** The patches that remove fields on purpose. Strategic ones do: these lists merge by address. */
const removingPatches = ["json", "apply", "strategic"];
const maxPropertyBytes = 256 * 1024;

export function reconcileAddresses(
  status: PodStatus,
  old: PodStatus | undefined,
  { patch }: Pick<WriteContext, "patch">,
): FieldError[] {
  const isRemoving = patch !== undefined && removingPatches.includes(patch);
  return pairs.flatMap((pair) => {
    const outcome = reconcilePair(holderOf(status), pair, {
      path: "status",
      isPatch: patch !== undefined,
      absent: isRemoving ? "removed" : "kept",
      ...(old === undefined ? {} : { old: holderOf(old) }),
    });
    return outcome.errors;
  });
}

/** Completes podIPs and hostIPs for readers, whatever version wrote the object. */
export function completeAddresses(status: PodStatus): void {
  for (const pair of pairs) completePair(holderOf(status), pair);
}

export function validateAddresses(status: PodStatus): FieldError[] {
  return [
    ...malformed(status.podIPs ?? [], "status.podIPs"),
    ...malformed(status.hostIPs ?? [], "status.hostIPs"),
    ...surplus(status.podIPs ?? [], "status.podIPs", isDefaultAddress),
    ...surplus(status.hostIPs ?? [], "status.hostIPs", () => true),
    ...(status.podIPs ?? []).flatMap((address, index) =>
      propertyErrors(address, `status.podIPs[${index}].properties`),
    ),
  ];
}

/** Returns all addresses of a pod, joined as kubectl and the downward API show them. */
export function joinedAddresses(status: PodStatus | undefined): string {
  return status === undefined ? "" : valuesOf(holderOf(status), podIPs).join(",");
}

function malformed(list: readonly { ip?: string }[], path: string): FieldError[] {
  return list.flatMap(({ ip = "" }, index) => {
    const field = `${path}[${index}].ip`;
    const isLinkLocal = Address.tryParse(ip)?.isLinkLocal === true;
    return isLinkLocal
      ? [invalid(field, ip, "may not be a link-local address")]
      : addressErrors(field, ip);
  });
}

/** Refuses a second address of a family, not counting claimed addresses and those of further networks. */
function surplus<T extends { ip?: string }>(
  list: readonly T[],
  path: string,
  counts: (address: T) => boolean,
): FieldError[] {
  const seen = new Set<Family>();
  return list.flatMap((element, index) => {
    const family = Address.tryParse(element.ip ?? "")?.family;
    if (family === undefined || !counts(element)) return [];
    if (!seen.has(family)) {
      seen.add(family);
      return [];
    }
    const detail = `may specify no more than one ${family} address without a network or a claiming property`;
    return [invalid(`${path}[${index}].ip`, element.ip, detail)];
  });
}

/** Checks properties like annotations: qualified names as keys, any text as values, bounded in total. */
function propertyErrors({ properties = {} }: PodIP, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(properties)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    const problems = qualifiedName(key.toLowerCase());
    errors.push(...problems.map((problem) => invalid(path, key, problem)));
  }
  if (bytes > maxPropertyBytes) {
    errors.push({
      type: "FieldValueTooLong",
      field: path,
      detail: `may not be more than ${maxPropertyBytes} bytes`,
    });
  }
  return errors;
}

function holderOf(status: PodStatus): PairHolder & PodStatus {
  return status as PairHolder & PodStatus;
}

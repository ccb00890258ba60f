import { Address } from "../../base/net/address.ts";
import type { FieldError } from "../fields/field-error.ts";
import { invalid } from "../fields/field-errors.ts";

/** Returns what is wrong with a text that should be an IP address. */
export function addressErrors(field: string, text: string): FieldError[] {
  if (Address.tryParse(text) !== undefined) return [];
  const detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  return [invalid(field, text, detail)];
}

/** Checks an address that traffic is sent to: it must not be loopback, link-local and the like. */
export function reachableAddressErrors(field: string, text: string): FieldError[] {
  const address = Address.tryParse(text);
  if (address === undefined) return addressErrors(field, text);
  const special = [
    { is: address.isUnspecified, what: `unspecified (${address})` },
    { is: address.isLoopback, what: "in the loopback range (127.0.0.0/8, ::1/128)" },
    { is: address.isLinkLocal, what: "in the link-local range (169.254.0.0/16, fe80::/10)" },
    { is: address.isMulticast, what: "in the multicast range (224.0.0.0/4, ff00::/8)" },
  ].find(({ is }) => is);
  return special === undefined ? [] : [invalid(field, text, `may not be ${special.what}`)];
}

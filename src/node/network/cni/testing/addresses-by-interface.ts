import type { Address } from "../../../../base/net/address.ts";
import { type Attached, addressesOf } from "../attached.ts";

/** Returns the addresses of each interface of a pod. */
export function addressesByInterface(
  attached: readonly Attached[],
): Readonly<Record<string, readonly Address[]>> {
  return Object.fromEntries(
    attached.map((one) => [one.interface, addressesOf(one).map(({ address }) => address)]),
  );
}

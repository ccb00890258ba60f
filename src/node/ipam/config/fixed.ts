import type { Address } from "../../../base/net/address.ts";
import {
  type InterfaceAddress,
  readAddress,
  readInterfaceAddress,
  type Warn,
} from "./addresses.ts";
import type { CanonicalRange } from "./canonical.ts";
import { Fields } from "./fields.ts";

/** An address that is handed out as it stands, without a reservation. */
export interface FixedAddress extends InterfaceAddress {
  readonly gateway?: Address;
}

/** Reads the fixed addresses: those of the ranges first, then those of the whole configuration. */
export function readFixedAddresses(
  ipam: Fields,
  ranges: readonly CanonicalRange[],
  warn: Warn,
): FixedAddress[] {
  const ofRanges = ranges.flatMap(({ fields: { addresses = [] }, nameOf }) =>
    addresses.map((one, index) => new Fields(one, `${nameOf("addresses")}[${index}]`)),
  );
  return [...ofRanges, ...ipam.objects("addresses")].map((fields) => readFixed(fields, warn));
}

function readFixed(fields: Fields, warn: Warn): FixedAddress {
  const text = fields.text("address");
  if (text === undefined) throw fields.refused("address", "it must be set");
  const address = readInterfaceAddress(text, { field: `${fields.path}.address`, warn });
  const gateway = fields.text("gateway");
  if (gateway === undefined) return address;
  return {
    ...address,
    gateway: readAddress(gateway, { field: `${fields.path}.gateway`, warn }),
  };
}

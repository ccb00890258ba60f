import { defined } from "../../base/json/defined.ts";
import type { Address } from "../../base/net/address.ts";
import { type Family, families } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { JsonObject } from "./config/fields.ts";
import { type CniVersion, isAtLeast } from "./versions.ts";

/** An address that a pod was given. Assignments are in the order of the ranges. */
export interface Assignment {
  readonly address: Address;
  /** The prefix length of the network that the address is in. */
  readonly length: number;
  readonly gateway?: Address;
}

export interface Assigned {
  readonly assignments: readonly Assignment[];
  readonly routes: readonly JsonObject[];
  readonly dns?: JsonObject;
}

/** Returns the result of ADD as the configuration's CNI version spells it. */
export function toResult(assigned: Assigned, version: CniVersion): JsonObject {
  const { assignments, routes, dns } = assigned;
  if (!isAtLeast(version, "0.3.0")) return toOldResult(assigned, version);
  // CNI results of 1.0.0 and later do not name the family; the address shows it.
  const namesFamily = !isAtLeast(version, "1.0.0");
  return {
    cniVersion: version,
    ips: assignments.map(({ address, length, gateway }) => ({
      ...(namesFamily ? { version: address.family === "IPv4" ? "4" : "6" } : {}),
      address: `${address.toString()}/${length}`,
      ...defined({ gateway: gateway?.toString() }),
    })),
    ...(routes.length > 0 ? { routes } : {}),
    ...defined({ dns }),
  };
}

const oldKeys: Readonly<Record<Family, string>> = { IPv4: "ip4", IPv6: "ip6" };

/**
 * Returns the result of CNI versions before 0.3.0: one address of each family, with the routes of that
 * family.
 */
function toOldResult({ assignments, routes, dns }: Assigned, version: CniVersion): JsonObject {
  const perFamily = families.flatMap((family) => {
    const first = assignments.find(({ address }) => address.family === family);
    if (first === undefined) return [];
    const { address, length, gateway } = first;
    const own = routes.filter(({ dst }) => Prefix.tryParse(String(dst))?.family === family);
    const value = {
      ip: `${address.toString()}/${length}`,
      ...defined({ gateway: gateway?.toString() }),
      ...(own.length > 0 ? { routes: own } : {}),
    };
    return [[oldKeys[family], value] as const];
  });
  return {
    cniVersion: version,
    ...Object.fromEntries(perFamily),
    ...defined({ dns }),
  };
}

import type { Address } from "../../base/net/address.ts";
import type { JsonObject } from "./config/fields.ts";
import { type CniVersion, isAtLeast } from "./versions.ts";

/** What a pod was given, in the order of the ranges. */
export interface Assignment {
  readonly address: Address;
  /** Of the network the address is in. */
  readonly length: number;
  readonly gateway?: Address;
}

export interface Assigned {
  readonly assignments: readonly Assignment[];
  readonly routes: readonly JsonObject[];
  readonly dns?: JsonObject;
}

/** The result of ADD, as the version of the configuration spells it. */
export function toResult({ assignments, routes, dns }: Assigned, version: CniVersion): JsonObject {
  // Since 1.0.0 the family is to be seen in the address alone.
  const namesFamily = !isAtLeast(version, "1.0.0");
  return {
    cniVersion: version,
    ips: assignments.map(({ address, length, gateway }) => ({
      ...(namesFamily ? { version: address.family === "IPv4" ? "4" : "6" } : {}),
      address: `${address.toString()}/${length}`,
      ...(gateway === undefined ? {} : { gateway: gateway.toString() }),
    })),
    ...(routes.length > 0 ? { routes } : {}),
    ...(dns === undefined ? {} : { dns }),
  };
}

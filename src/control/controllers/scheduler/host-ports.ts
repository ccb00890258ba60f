// Ports of the node itself that pods listen on.

import type { PodSpec } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";

/** A port in one family. */
export interface HostPort {
  readonly family: Family;
  readonly protocol: string;
  readonly port: number;
  /** Every address of the family when not given. */
  readonly address: string | undefined;
}

/** A port without an address is taken in both families. */
export function hostPortsOf({ containers, initContainers = [] }: PodSpec): HostPort[] {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort: port = 0, protocol = "TCP", hostIP = "" }) => {
      if (port <= 0) return [];
      const address = Address.tryParse(hostIP);
      if (address === undefined) {
        return families.map((family) => ({ family, protocol, port, address: undefined }));
      }
      const { family, isUnspecified } = address;
      return [{ family, protocol, port, address: isUnspecified ? undefined : address.toString() }];
    }),
  );
}

/** Two listeners get in each other's way on the same address, or when one takes all of them. */
export function isConflict(one: HostPort, other: HostPort): boolean {
  return (
    one.port === other.port &&
    one.protocol === other.protocol &&
    one.family === other.family &&
    (one.address === undefined || other.address === undefined || one.address === other.address)
  );
}

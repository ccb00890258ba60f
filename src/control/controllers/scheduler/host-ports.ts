// Host ports that pods listen on.

import type { PodSpec } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";

/** A host port in one family. */
export interface HostPort {
  readonly family: Family;
  readonly protocol: string;
  readonly port: number;
  /** The address; every address of the family if not given. */
  readonly address: string | undefined;
}

/** Returns the host ports of a pod; one without an address is taken in both families. */
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

/** Whether two listeners conflict: on the same address, or if one takes all addresses. */
export function isConflict(one: HostPort, other: HostPort): boolean {
  return (
    one.port === other.port &&
    one.protocol === other.protocol &&
    one.family === other.family &&
    (one.address === undefined || other.address === undefined || one.address === other.address)
  );
}

// The stored form of reservations.
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { ObjectMeta } from "../../../api/types/meta.ts";
import type { IPAddress } from "../../../api/types/networking.ts";
import { type Random, uuidFrom } from "../../../base/host/random.ts";
import { encodeStored } from "../cache/item.ts";
import { collectionId } from "../keys.ts";

export const addressCollection = collectionId("networking.k8s.io", "ipaddresses");

/** The prefix of node port keys. They are outside of the registry, since there is no kind for node ports. */
export const nodePortPrefix = "/allocations/nodeports/";

export function nodePortKey(port: number): string {
  return `${nodePortPrefix}${port}`;
}

/** The time and randomness for the metadata of a new reservation. */
export interface ReservationMark {
  readonly now: Date;
  readonly random: Random;
}

/** Encodes the IPAddress object, which kubectl shows, for an address of a service. */
export function encodeAddress(
  address: string,
  owner: ObjectMeta,
  { now, random }: ReservationMark,
): Buffer {
  const object: IPAddress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: {
      name: address,
      uid: uuidFrom(random),
      creationTimestamp: timestamp(now),
      generation: 1,
      labels: {
        "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
    spec: {
      parentRef: {
        group: "",
        resource: "services",
        namespace: owner.namespace ?? "",
        name: owner.name ?? "",
      },
    },
  };
  return encodeStored(object);
}

export function encodePort({ namespace = "", name = "" }: ObjectMeta): Buffer {
  return Buffer.from(JSON.stringify({ namespace, name }));
}

export function decodePort(value: Uint8Array): { namespace: string; name: string } {
  return JSON.parse(Buffer.from(value).toString()) as { namespace: string; name: string };
}

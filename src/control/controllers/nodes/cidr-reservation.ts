// A reservation of a pod CIDR for a node: a Lease whose name is the CIDR. Two controllers that both believe
// to be the leader cannot both create it, so that no CIDR is ever given twice.

import type { Draft, Place } from "../../../api/client/objects.ts";
import type { Lease } from "../../../api/types/coordination.ts";
import type { Node } from "../../../api/types/core.ts";
import { bitsOf } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";

export const reservationNamespace = "kube-system";
export const reservationLabel = "tandem.internal/pod-cidr";
const cidrAnnotation = "tandem.internal/pod-cidr";

export interface Reservation {
  readonly prefix: Prefix;
  readonly node: string;
  /** The uid of the node, to tell it from an earlier one of the same name. */
  readonly uid: string;
}

/** Returns the Lease's name for a CIDR: names may not contain colons. */
export function placeOf({ first, length, family }: Prefix): Place<Lease> {
  const digits = first.value.toString(16).padStart(bitsOf(family) / 4, "0");
  return { namespace: reservationNamespace, name: `pod-cidr-${digits}-${length}` };
}

export function reservationOf(prefix: Prefix, { metadata }: Node): Draft<Lease> {
  const { name, uid = "" } = metadata;
  return {
    metadata: {
      ...placeOf(prefix),
      labels: { [reservationLabel]: prefix.family },
      annotations: { [cidrAnnotation]: prefix.toString() },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
    },
    spec: { holderIdentity: name },
  };
}

export function readReservation({ metadata }: Lease): Reservation | undefined {
  const prefix = Prefix.tryParse(metadata.annotations?.[cidrAnnotation] ?? "");
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "Node");
  if (prefix === undefined || owner === undefined) return undefined;
  return { prefix, node: owner.name, uid: owner.uid };
}

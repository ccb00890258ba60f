import { isObject } from "../../../base/json/value.ts";
import type { Reservation } from "../datastore/port.ts";
import type { Attachment } from "../environment.ts";
import { IpamError } from "../errors.ts";
import { releaseUnchanged } from "../release-unchanged.ts";
import { isAtLeast } from "../versions.ts";
import type { Call } from "./call.ts";
import { presentPools } from "./pools.ts";

/**
 * GC: releases reservations whose attachments the runtime no longer lists: those of this node and
 * network, or, where the datastore knows the pods, those of pods that are gone.
 */
export async function collect(call: Call): Promise<Reservation[]> {
  const { cniVersion, network } = call.configuration;
  if (!isAtLeast(cniVersion, "1.1.0")) {
    throw new IpamError("incompatibleVersion", `Cannot GC: cniVersion ${cniVersion} has no GC`);
  }
  const valid = readAttachments(network["cni.dev/valid-attachments"]);
  const pools = (await presentPools(call)).map(({ pool }) => pool.name);
  const all = await call.datastore.reservations();
  // Pools in the API name neither nodes nor networks, but the cluster knows its pods.
  const living = await call.datastore.livingOwners();
  const isLeft = (one: Reservation) =>
    living === undefined
      ? isOurs(call, one)
      : pools.includes(one.pool.name) && !living.has(one.owner);
  const gone = all.filter((one) => one.containerId !== "" && !isListed(one, valid) && isLeft(one));
  return releaseUnchanged(call.datastore, gone);
}

function isOurs({ configuration, node }: Call, reservation: Reservation): boolean {
  return reservation.networkConfiguration === configuration.name && reservation.node === node;
}

function isListed({ containerId, ifname }: Reservation, valid: readonly Attachment[]): boolean {
  return valid.some((one) => one.containerId === containerId && one.ifname === ifname);
}

function readAttachments(list: unknown): Attachment[] {
  if (!Array.isArray(list)) throw invalid("it must be a list");
  return list.map((element: unknown, index) => {
    if (!isObject(element)) throw invalid(`element ${index} is no object`);
    const { containerID: containerId, ifname } = element;
    if (typeof containerId !== "string" || typeof ifname !== "string") {
      throw invalid(`element ${index} lacks containerID or ifname`);
    }
    return { containerId, ifname };
  });
}

function invalid(state: string): IpamError {
  return new IpamError("invalidConfiguration", `Cannot use cni.dev/valid-attachments: ${state}`);
}

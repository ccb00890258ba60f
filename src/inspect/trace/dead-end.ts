// Finds out why the kernel could not forward a packet beyond the place where it was last seen.

import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import type { Probe } from "./probe.ts";
import type { Hop } from "./report.ts";
import { isRoute, type Surroundings } from "./surroundings.ts";
import type { DeadEnd } from "./verdict.ts";

interface Inputs {
  /** The last hop; `undefined` if the packet never reached the first rule. */
  readonly last: Hop | undefined;
  /** The place of the sender. */
  readonly from: string;
  readonly probe: Omit<Probe, "timeoutMs">;
  readonly around: (place: string) => Surroundings;
  readonly addressesOf: (place: string) => readonly Address[];
}

export async function findDeadEnd({
  last,
  from,
  probe,
  around,
  addressesOf,
}: Inputs): Promise<DeadEnd | undefined> {
  if (last?.ended === "taken-in") return undefined;
  if (last?.ended === "left") return findMissingNeighbour(last, around(last.place));
  const place = last?.place ?? from;
  const way = {
    source: last?.first.source ?? probe.source?.toString() ?? "",
    destination: last?.last.destination ?? probe.destination.toString(),
    inDevice: last?.began === "received" ? last.first.inDevice : undefined,
  };
  const { family } = probe.destination;
  const isOwn = (text: string): boolean => addressesOf(place).some((one) => String(one) === text);
  if (last?.began === "received" && isOwn(way.source)) {
    const reason = `it comes from outside with ${way.source}, which is ${place}'s own address`;
    return { kind: "no-route", place, reason };
  }
  const isForOthers = last?.began === "received" && !isOwn(way.destination);
  if (isForOthers && !(await around(place).isForwarding(family))) {
    return { kind: "no-route", place, reason: `forwarding of ${family} is switched off there` };
  }
  const found = await around(place).route(way);
  if (!isRoute(found)) {
    return { kind: "no-route", place, reason: `${found.reason} to ${way.destination}` };
  }
  const asked = found.gateway ?? way.destination;
  if (!(await around(place).isNeighbourMissing(asked, found.device))) return undefined;
  return missing({ place, asked, device: found.device, family });
}

async function findMissingNeighbour(
  { place, last, route }: Hop,
  around: Surroundings,
): Promise<DeadEnd | undefined> {
  const device = last.outDevice;
  const asked = route?.gateway ?? last.destination;
  if (device === undefined || device === "lo") return undefined;
  if (!(await around.isNeighbourMissing(asked, device))) return undefined;
  return missing({ place, asked, device, family: asked.includes(":") ? "IPv6" : "IPv4" });
}

interface Asked {
  readonly place: string;
  readonly asked: string;
  readonly device: string;
  readonly family: Family;
}

const question: Readonly<Record<Family, string>> = { IPv4: "ARP", IPv6: "neighbour discovery" };

function missing({ place, asked, device, family }: Asked): DeadEnd {
  const reason = `nobody at ${device} answers ${question[family]} for ${asked}`;
  return { kind: "no-neighbour", place, reason };
}

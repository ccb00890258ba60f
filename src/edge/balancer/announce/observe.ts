// Who announces which address, as somebody sees it who announces none.

import { serviceKeysOf } from "../../../api/kinds/discovery.ts";
import type { Lease } from "../../../api/types/coordination.ts";
import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { Hearing, nodeOf } from "./membership.ts";
import { balancedAddresses, fitNodes, holderOf } from "./placement.ts";
import { defaultTimes } from "./times.ts";

export interface ObservedObjects {
  readonly leases: readonly Lease[];
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
}

export interface AnnouncedAddress {
  readonly address: string;
  /** The keys of the services that have it. */
  readonly services: readonly string[];
  /** The node that announces it; undefined if none can. */
  readonly node: string | undefined;
}

export interface Observation {
  readonly addresses: readonly AnnouncedAddress[];
  /** The nodes whose announcers have a lease and do not renew it: they hang, or were killed. */
  readonly silent: readonly string[];
}

/** Returns a function that is to be called again and again, since it counts how old leases are. */
export function announcerObserver(clock: Clock): (objects: ObservedObjects) => Observation {
  const hearing = new Hearing(clock, defaultTimes);
  return ({ leases, services, slices, nodes }) => {
    const living = hearing.living(leases);
    const heard = new Set(living.map(({ node }) => node));
    const candidates = fitNodes(living, nodes);
    const slicesOf = (key: string) => slices.filter((slice) => serviceKeysOf(slice).includes(key));
    const addresses = balancedAddresses(services, { slicesOf, nodes }).map((each) => ({
      address: each.address.toString(),
      services: each.services.map(({ key }) => key),
      node: holderOf(each, candidates),
    }));
    return { addresses, silent: leases.map(nodeOf).filter((node) => !heard.has(node)) };
  };
}

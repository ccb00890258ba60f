// The ways to a service, one for each family, hop by hop, and where they begin to differ.

import { keyOf } from "../../../api/client/objects.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Backend } from "./backends.ts";
import { type ClusterObjects, clusterAddresses, ofFamily } from "./cluster.ts";
import { entriesOf } from "./entries.ts";
import { bad, type Lamp, lampsOfNode, lampsOfService, off, ok, pairOf } from "./lamps.ts";

/** One step on the way to a service's pods. */
export interface Hop {
  readonly title: string;
  /** Addresses and names, as people read them. */
  readonly items: readonly string[];
  readonly lamp: Lamp;
  /** What the hop consists of without its addresses: equal in both families when they are alike. */
  readonly shape: string;
}

/** The hops of both families; both have the same hops, in the same order. */
export type Ways = Readonly<Record<Family, readonly Hop[]>>;

export interface WayParts {
  readonly cluster: ClusterObjects;
  readonly backends: readonly Backend[];
  readonly clusterHas: readonly Family[];
}

export function waysOf(service: Service, parts: WayParts): Ways {
  const entries = entriesOf(service, parts.cluster);
  return pairOf((family) => {
    const isWanted = service.spec.ipFamilies?.includes(family) === true;
    return [
      ...entries.map(({ title, addresses }) => {
        const items = addresses[family];
        return { title, items, lamp: entryLamp(items, { family, isWanted }), shape: "" };
      }),
      serviceHop(service, family),
      endpointsHop(service, family, parts),
      nodesHop(family, parts),
    ];
  });
}

/** Returns the index of the first hop that is not alike in both families, if there is one. */
export function firstDifference(ways: Ways): number | undefined {
  const index = ways.IPv4.findIndex((hop, at) => {
    const other = ways.IPv6[at];
    return hop.lamp.state !== other?.lamp.state || hop.shape !== other.shape;
  });
  return index < 0 ? undefined : index;
}

function entryLamp(
  items: readonly string[],
  { family, isWanted }: { readonly family: Family; readonly isWanted: boolean },
): Lamp {
  if (items.length > 0) return ok(items.join(", "));
  return isWanted ? bad(`no address of ${family}`) : off(`not of ${family}`);
}

function serviceHop(service: Service, family: Family): Hop {
  const { clusterIP, ipFamilies } = service.spec;
  const items = ofFamily(clusterAddresses(service), family).map(String);
  const isHeadless = clusterIP === "None";
  const lamp =
    ipFamilies?.includes(family) !== true
      ? off(`not of ${family}`)
      : isHeadless || items.length > 0
        ? ok(isHeadless ? "headless" : items.join(", "))
        : bad(`no cluster IP of ${family}`);
  return { title: `service ${keyOf(service)}`, items, lamp, shape: "" };
}

function endpointsHop(service: Service, family: Family, { cluster, backends }: WayParts): Hop {
  const ready = backends.filter(({ addresses }) => addresses[family]?.isReady === true);
  return {
    title: "ready endpoints",
    items: ready.map(({ name, addresses }) => `${name} ${addresses[family]?.address ?? ""}`),
    lamp: lampsOfService(service, { backends, isUnread: cluster.unread.has("slices") })[family],
    // A backend that is no pod has a name of one family only, so only pods are compared by name.
    shape: ready.map(({ name, isPod }) => (isPod ? name : "")).join(),
  };
}

function nodesHop(family: Family, { cluster, backends, clusterHas }: WayParts): Hop {
  const names = new Set(
    backends.flatMap(({ addresses, node }) => (addresses[family]?.isReady ? (node ?? []) : [])),
  );
  const nodes = cluster.nodes.filter(({ metadata }) => names.has(metadata.name));
  const lamps = nodes.map((node) => ({
    name: node.metadata.name,
    lamp: lampsOfNode(node, { clusterHas, silentAnnouncers: cluster.silentAnnouncers })[family],
  }));
  const wrong = lamps.filter(({ lamp }) => lamp.state !== "ok");
  return {
    title: "nodes",
    items: [...names].toSorted(),
    lamp: nodesLamp(),
    shape: [...names].toSorted().join(),
  };

  function nodesLamp(): Lamp {
    if (names.size === 0) return off("none");
    if (cluster.unread.has("nodes")) return { state: "unknown", why: "Nodes cannot be read" };
    if (wrong.length === 0) return ok("ready");
    return bad(wrong.map(({ name, lamp }) => `${name}: ${lamp.why}`).join("; "));
  }
}

// Who holds which addresses: nodes, pods, services, and whoever has one of IPAM.

import { keyOf } from "../../../api/client/objects.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { hasEnded } from "./addresses.ts";
import {
  addressesOfNode,
  addressesOfPod,
  type ClusterObjects,
  clusterAddresses,
  ofFamily,
  parsed,
} from "./cluster.ts";
import { podOfOwner } from "./ipam.ts";
import { pairOf } from "./lamps.ts";
import type { ObjectPlace } from "./what-is.ts";

/** A holder with its addresses in both families. */
export interface HolderRow {
  /** What it holds them as: "pod", "cluster IP", "IPAM, net1". */
  readonly as: string;
  readonly holder: string;
  readonly place: ObjectPlace | undefined;
  /** Addresses, or ranges that are shared out among nodes. */
  readonly addresses: Readonly<Record<Family, readonly string[]>>;
}

/** Returns all holders: nodes, pods, services, then those of IPAM, each by name. */
export function holdersOf(cluster: ClusterObjects): readonly HolderRow[] {
  return [
    ...sorted(cluster.nodes.map((node) => row("node", nodePlace(node), addressesOfNode(node)))),
    ...sorted(
      cluster.pods
        .filter(({ status }) => !hasEnded(status?.phase))
        .map((pod) => row("pod", placed("Pod", pod), addressesOfPod(pod))),
    ),
    ...sorted(
      cluster.services.flatMap((service) => {
        const place = placed("Service", service);
        const balancer = service.status?.loadBalancer?.ingress ?? [];
        return [
          row("cluster IP", place, clusterAddresses(service)),
          row("load balancer", place, parsed(balancer.map(({ ip }) => ip))),
          row("external IP", place, parsed(service.spec.externalIPs ?? [])),
        ];
      }),
    ),
    ...sorted(ipamRows(cluster)),
    ...sorted(sliceRows(cluster)),
  ].filter(({ addresses }) => families.some((family) => addresses[family].length > 0));
}

/** Returns the rows with a text in their names or addresses; an address is found however it is written. */
export function filterHolders(rows: readonly HolderRow[], text: string): readonly HolderRow[] {
  const sought = text.trim().toLowerCase();
  if (sought === "") return rows;
  const exact = Address.tryParse(sought)?.toString();
  return rows.filter(({ as, holder, addresses }) => {
    const held = families.flatMap((family) => addresses[family]);
    if (exact !== undefined) return held.some((one) => one === exact);
    return [as, holder, ...held].join(" ").toLowerCase().includes(sought);
  });
}

/** The addresses of one owner's interface in the pools of one network are one row. */
function ipamRows({ ipPools }: ClusterObjects): readonly HolderRow[] {
  const held = ipPools.flatMap(({ spec }) =>
    spec.held.map((each) => ({ ...each, network: spec.network })),
  );
  const groups = Map.groupBy(held, ({ owner, ifname, network, keptUntil }) =>
    JSON.stringify([owner, ifname, network, keptUntil === undefined]),
  );
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { owner, ifname, network, keptUntil } = first;
    const pod = podOfOwner(owner);
    const words = ["IPAM", network, ifname, ...(keptUntil === undefined ? [] : ["kept"])];
    return {
      as: words.filter(Boolean).join(", "),
      holder: owner,
      place: pod && { kind: "Pod", ...pod },
      addresses: byFamily(parsed(members.map(({ address }) => address))),
    };
  });
}

function sliceRows({ nodeSlicePools }: ClusterObjects): readonly HolderRow[] {
  const slices = nodeSlicePools.flatMap(({ spec: { network }, status }) =>
    status.allocations.flatMap(({ nodeName, sliceRange }) => {
      const range = Prefix.tryParse(sliceRange);
      return range === undefined ? [] : [{ nodeName, range, network }];
    }),
  );
  const groups = Map.groupBy(slices, ({ nodeName, network }) =>
    JSON.stringify([nodeName, network]),
  );
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { nodeName: name, network } = first;
    return {
      as: `slice of IPAM, ${network}`,
      holder: name,
      place: { kind: "Node", name },
      addresses: byFamily(members.map(({ range }) => range)),
    };
  });
}

function row(as: string, place: ObjectPlace, addresses: readonly Address[]): HolderRow {
  return { as, holder: keyOf({ metadata: place }), place, addresses: byFamily(addresses) };
}

function byFamily(
  values: readonly { readonly family: Family; toString(): string }[],
): HolderRow["addresses"] {
  return pairOf((family) => ofFamily(values, family).map(String));
}

function nodePlace({ metadata }: ClusterObjects["nodes"][number]): ObjectPlace {
  return { kind: "Node", name: metadata.name };
}

interface Namespaced {
  readonly metadata: { readonly namespace: string; readonly name: string };
}

function placed(kind: ObjectPlace["kind"], { metadata }: Namespaced): ObjectPlace {
  return { kind, namespace: metadata.namespace, name: metadata.name };
}

function sorted(rows: readonly HolderRow[]): readonly HolderRow[] {
  return rows.toSorted((a, b) => (a.holder < b.holder ? -1 : a.holder > b.holder ? 1 : 0));
}

// "What is this address?": who holds it, which ranges it is of, and what its value alone tells.

import { keyOf } from "../../../api/client/objects.ts";
import type { Service } from "../../../api/types/core.ts";
import type { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { spanContains } from "../../../base/net/range.ts";
import { declaredRanges, hasEnded, type RangeKind } from "./addresses.ts";
import {
  addressesOfNode,
  addressesOfPod,
  type ClusterObjects,
  clusterAddresses,
  parsed,
} from "./cluster.ts";
import { addressesOfIngress } from "./entries.ts";
import { type IpamPool, type NodeSlicePool, podOfOwner } from "./ipam.ts";

export interface Finding {
  /** A sentence without its subject, the address: "is the address of pod shop/web-0 on node-1". */
  readonly text: string;
  /** The object that it leads to. */
  readonly object?: ObjectPlace;
}

const placedKinds = ["Node", "Pod", "Service", "Ingress"] as const;

export interface ObjectPlace {
  readonly kind: (typeof placedKinds)[number];
  readonly namespace?: string;
  readonly name: string;
}

/** Reads the place of an object from the parameters of a route, which anybody can write. */
export function placeOf(parameters: Readonly<Record<string, string>>): ObjectPlace | undefined {
  const { namespace, name } = parameters;
  const kind = placedKinds.find((one) => one === parameters["kind"]);
  if (kind === undefined || name === undefined) return undefined;
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}

/** Returns all that is known of an address: holders first, then ranges; never nothing. */
export function whatIs(address: Address, cluster: ClusterObjects): readonly Finding[] {
  const holders = [
    ...nodeFindings(address, cluster),
    ...podFindings(address, cluster),
    ...cluster.services.flatMap((service) => serviceFindings(address, service)),
    ...cluster.ingresses.flatMap((ingress) =>
      has(addressesOfIngress(ingress), address)
        ? [finding("is an address of ingress", "Ingress", ingress.metadata)]
        : [],
    ),
    ...cluster.ipPools.flatMap((pool) => ipamFindings(address, pool)),
  ];
  const isHeld = holders.length > 0;
  const ranges = declaredRanges(cluster)
    .filter(({ span }) => spanContains(span, address))
    .map(({ kind, owner, text }) => ({
      text: `${isHeld ? "is" : "is free, as far as can be read, and"} in ${text}, ${titles[kind]} ${owner}`,
    }));
  const slices = cluster.nodeSlicePools.flatMap((pool) => sliceFindings(address, pool));
  const found = [...holders, ...slices, ...ranges, ...ofValue(address)];
  return found.length > 0 ? found : [{ text: "is nothing of this cluster that you may read" }];
}

const titles: Readonly<Record<RangeKind, string>> = {
  node: "the pod range of node",
  service: "the range of services",
  pool: "the pool",
  IPAM: "the IPAM pool of",
  slices: "which is shared out among nodes by",
};

function nodeFindings(address: Address, { nodes }: ClusterObjects): readonly Finding[] {
  return nodes
    .filter((node) => has(addressesOfNode(node), address))
    .map(({ metadata }) => finding("is an address of node", "Node", metadata));
}

function podFindings(address: Address, { pods }: ClusterObjects): readonly Finding[] {
  return pods
    .filter((pod) => !hasEnded(pod.status?.phase) && has(addressesOfPod(pod), address))
    .map(({ metadata, spec }) => {
      const found = finding("is the address of pod", "Pod", metadata);
      const where = spec.nodeName === undefined ? "" : ` on node ${spec.nodeName}`;
      const how = spec.hostNetwork === true ? ", which has its node's network" : "";
      return { ...found, text: `${found.text}${where}${how}` };
    });
}

function serviceFindings(address: Address, service: Service): readonly Finding[] {
  const { spec, status, metadata } = service;
  const balancer = (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  const roles: [text: string, addresses: readonly Address[]][] = [
    ["is a cluster IP of service", clusterAddresses(service)],
    ["is the load balancer's address of service", parsed(balancer)],
    ["is an external IP of service", parsed(spec.externalIPs ?? [])],
  ];
  return roles
    .filter(([, addresses]) => has(addresses, address))
    .map(([text]) => finding(text, "Service", metadata));
}

function ipamFindings(address: Address, { metadata, spec }: IpamPool): readonly Finding[] {
  const text = address.toString();
  return spec.held
    .filter((held) => held.address === text)
    .map(({ owner, ifname, keptUntil }) => {
      const pod = podOfOwner(owner);
      const who = pod === undefined ? `container ${owner}` : `pod ${owner}`;
      const how = keptUntil === undefined ? "is held by" : `is kept until ${keptUntil} for`;
      const where = ifname === "" ? "" : `, interface ${ifname}`;
      const said = { text: `${how} ${who}${where}, in IPAM pool ${keyOf({ metadata })}` };
      return pod === undefined ? said : { ...said, object: { kind: "Pod", ...pod } };
    });
}

function sliceFindings(address: Address, pool: NodeSlicePool): readonly Finding[] {
  return pool.status.allocations.flatMap(({ nodeName, sliceRange }) => {
    const range = Prefix.tryParse(sliceRange);
    if (range === undefined || !range.contains(address)) return [];
    const text = `is in ${sliceRange}, the slice of node ${nodeName} in ${pool.spec.network}`;
    return { text, object: { kind: "Node" as const, name: nodeName } };
  });
}

function finding(
  text: string,
  kind: ObjectPlace["kind"],
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): Finding {
  const object = { kind, name, ...(namespace === undefined ? {} : { namespace }) };
  return { text: `${text} ${keyOf({ metadata: object })}`, object };
}

function ofValue(address: Address): readonly Finding[] {
  if (address.isUnspecified) return [{ text: "means all addresses of a machine" }];
  if (address.isLoopback)
    return [{ text: "is a loopback address: each machine and pod has its own" }];
  if (address.isLinkLocal) return [{ text: "is a link-local address: valid on one link only" }];
  if (address.isMulticast) return [{ text: "is a multicast address" }];
  return [];
}

function has(addresses: readonly Address[], address: Address): boolean {
  return addresses.some((one) => one.equals(address));
}

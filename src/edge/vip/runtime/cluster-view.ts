// Derives the view of the cluster from its objects. Pure, so that tests can try every version of an object.

import type { ResourceDefinition } from "../../../api/client/definition.ts";
import type { ApiObject } from "../../../api/client/objects.ts";
import type { Node, Pod } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import { firstOfEachFamily } from "../../../base/net/list.ts";
import { byAge, type VipCluster, type VipNode, type VipUse } from "../cluster.ts";
import { checkedVips } from "./checked-vips.ts";
import type { KnownVips } from "./known-vips.ts";
import { decodeReport, reportAnnotation } from "./report.ts";
import type { VipView } from "./source.ts";

/** The resource that records the VIPs of a cluster, in the object named `cluster`. */
export const infrastructures: ResourceDefinition = {
  group: "config.openshift.io",
  version: "v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  namespaced: false,
};

/** The part of the Infrastructure object that matters here; it may come from any version. */
export interface Infrastructure extends ApiObject {
  status?: Json;
}

export interface ClusterObjects {
  readonly infrastructure: Infrastructure;
  readonly nodes: readonly Node[];
  /** The ingress pods, on any node. */
  readonly ingressPods: readonly Pod[];
  /** The cluster's name, instead of that of the Infrastructure object. */
  readonly clusterName?: string | undefined;
  /** The VIPs that the node itself has in force or remembers. */
  readonly known?: KnownVips | undefined;
}

export function clusterView(objects: ClusterObjects): VipView {
  const { cluster, problems } = clusterOf(objects);
  const vips = [...cluster.vips.api, ...cluster.vips.ingress];
  const ingressNodes = new Set(
    objects.ingressPods.filter(isReady).map((pod) => pod.spec?.nodeName),
  );
  const nodes = objects.nodes.map((node) => nodeOf(node, { vips, ingressNodes })).toSorted(byAge);
  return { cluster, nodes, ...(problems.length > 0 && { problems }) };
}

interface FoundCluster {
  readonly cluster: VipCluster;
  readonly problems: readonly string[];
}

function clusterOf(objects: ClusterObjects): FoundCluster {
  const { infrastructure, clusterName, nodes } = objects;
  const { status = {} } = infrastructure;
  const platformStatus = field(status, "platformStatus");
  const { type } = platformStatus;
  // "BareMetal" has its fields under "baremetal", and so on.
  const platform = field(platformStatus, typeof type === "string" ? type.toLowerCase() : "");
  const written = clusterName ?? status["infrastructureName"];
  const inForce = objects.known?.isInForce === true ? objects.known.cluster : undefined;
  // Router ids derive from the name: if it changed, a VIP would have two holders for a while.
  const name = inForce?.name ?? written;
  if (typeof name !== "string" || name === "") {
    throw new Error("Cannot number the VIPs: the Infrastructure object has no infrastructureName");
  }
  const known = objects.known?.cluster.name === name ? objects.known.cluster : undefined;
  // "UserManaged": the VIPs are on an external load balancer.
  const isForeign = field(platform, "loadBalancer")["type"] === "UserManaged";
  const listed = (use: VipUse): string[] => {
    const list = platform[fields[use]];
    return !isForeign && Array.isArray(list) ? (list as unknown[]).map(String) : [];
  };
  const { vips, problems } = checkedVips({
    given: { api: listed("api"), ingress: listed("ingress") },
    known: known?.vips,
    nodes: nodes.flatMap(ownAddresses),
    fieldOf: (use) => `status.platformStatus.${String(type).toLowerCase()}.${fields[use]}`,
  });
  const isRenamed = inForce !== undefined && typeof written === "string" && written !== name;
  const renamed = `status.infrastructureName: cannot be modified, have '${name}' and requested '${String(written)}'`;
  return { cluster: { name, vips }, problems: [...problems, ...(isRenamed ? [renamed] : [])] };
}

const fields: Readonly<Record<VipUse, string>> = {
  api: "apiServerInternalIPs",
  ingress: "ingressIPs",
};

/** The addresses that are the only ones of their family: of two, one may be a VIP that the node holds. */
function ownAddresses(node: Node): { node: string; address: Address }[] {
  const addresses = internalAddresses(node);
  return addresses
    .filter(({ family }) => addresses.filter((other) => other.family === family).length === 1)
    .map((address) => ({ node: node.metadata.name, address }));
}

function internalAddresses({ status }: Node): Address[] {
  return (status?.addresses ?? [])
    .filter(({ type }) => type === "InternalIP")
    .flatMap(({ address }) => Address.tryParse(address) ?? []);
}

const controlPlaneLabels = [
  "node-role.kubernetes.io/control-plane",
  "node-role.kubernetes.io/master",
];
/** The label of nodes whose ingress is no pod. */
const ingressLabel = "tandem.internal/ingress";

function nodeOf(
  node: Node,
  around: {
    readonly vips: readonly Address[];
    readonly ingressNodes: ReadonlySet<string | undefined>;
  },
): VipNode {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const addresses = internalAddresses(node).filter(
    (address) => !around.vips.some((vip) => vip.equals(address)),
  );
  const { takesPart, since = node.metadata.creationTimestamp } = decodeReport(
    annotations[reportAnnotation],
  );
  return {
    name,
    addresses: firstOfEachFamily(addresses).used,
    isControlPlane: controlPlaneLabels.some((label) => label in labels),
    runsIngress: ingressLabel in labels || around.ingressNodes.has(name),
    takesPart,
    ...defined({ since }),
  };
}

function isReady({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}

type Json = Readonly<Record<string, unknown>>;

function field(object: Json, name: string): Json {
  const value = object[name];
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

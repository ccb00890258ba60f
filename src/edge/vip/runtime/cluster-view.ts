// Reads the cluster out of its objects. Pure, so that every version of an object can be tried.

import type { ResourceDefinition } from "../../../api/client/definition.ts";
import type { ApiObject } from "../../../api/client/objects.ts";
import type { Node, Pod } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { firstOfEachFamily } from "../../../base/net/list.ts";
import type { VipCluster, VipNode } from "../cluster.ts";
import { decodeReport, reportAnnotation } from "./report.ts";
import type { VipView } from "./source.ts";

/** Where the VIPs of a cluster are written down: in the object named `cluster`. */
export const infrastructures: ResourceDefinition = {
  group: "config.openshift.io",
  version: "v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  namespaced: false,
};

/** As much of it as matters here; it may come from any version. */
export interface Infrastructure extends ApiObject {
  status?: Json;
}

export interface ClusterObjects {
  readonly infrastructure: Infrastructure;
  readonly nodes: readonly Node[];
  /** Those that are ingress, wherever they run. */
  readonly ingressPods: readonly Pod[];
  /** If it is not to come from the Infrastructure object. */
  readonly clusterName?: string | undefined;
}

export function clusterView(objects: ClusterObjects): VipView {
  const cluster = clusterOf(objects);
  const vips = [...cluster.vips.api, ...cluster.vips.ingress];
  const ingressNodes = new Set(
    objects.ingressPods.filter(isReady).map((pod) => pod.spec?.nodeName),
  );
  const nodes = objects.nodes.toSorted(byAge).map((node) => nodeOf(node, { vips, ingressNodes }));
  return { cluster, nodes };
}

function clusterOf({ infrastructure, clusterName }: ClusterObjects): VipCluster {
  const { status = {} } = infrastructure;
  const platformStatus = field(status, "platformStatus");
  const { type } = platformStatus;
  // "BareMetal" has its fields under "baremetal", and so on.
  const platform = field(platformStatus, typeof type === "string" ? type.toLowerCase() : "");
  const name = clusterName ?? status["infrastructureName"];
  if (typeof name !== "string" || name === "") {
    throw new Error("Cannot number the VIPs: the Infrastructure object has no infrastructureName");
  }
  const listed = (key: string): Address[] => {
    const list = Array.isArray(platform[key]) ? (platform[key] as unknown[]) : [];
    return firstOfEachFamily(list.flatMap((text) => Address.tryParse(String(text)) ?? [])).used;
  };
  return { name, vips: { api: listed("apiServerInternalIPs"), ingress: listed("ingressIPs") } };
}

const controlPlaneLabels = [
  "node-role.kubernetes.io/control-plane",
  "node-role.kubernetes.io/master",
];
/** For nodes whose ingress is no pod. */
const ingressLabel = "tandem.internal/ingress";

function nodeOf(
  node: Node,
  around: {
    readonly vips: readonly Address[];
    readonly ingressNodes: ReadonlySet<string | undefined>;
  },
): VipNode {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const addresses = (node.status?.addresses ?? [])
    .filter(({ type }) => type === "InternalIP")
    .flatMap(({ address }) => Address.tryParse(address) ?? [])
    .filter((address) => !around.vips.some((vip) => vip.equals(address)));
  return {
    name,
    addresses: firstOfEachFamily(addresses).used,
    isControlPlane: controlPlaneLabels.some((label) => label in labels),
    runsIngress: ingressLabel in labels || around.ingressNodes.has(name),
    takesPart: decodeReport(annotations[reportAnnotation]).takesPart,
  };
}

function isReady({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}

function byAge(one: Node, other: Node): number {
  const [a = "", b = ""] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp];
  if (a !== b) return a < b ? -1 : 1;
  return one.metadata.name < other.metadata.name ? -1 : 1;
}

type Json = Readonly<Record<string, unknown>>;

function field(object: Json, name: string): Json {
  const value = object[name];
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

// The Node object of this machine: the draft for its registration, and its regular status.
import type { Node, NodeAddress, NodeStatus, NodeSystemInfo, Taint } from "../../api/types/core.ts";
import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import { leastDiskShare, leastMemoryBytes } from "./conditions.ts";
import type { Supplies } from "./machine.ts";

export interface NodeDescription {
  readonly name: string;
  readonly hostname: string;
  readonly addresses: readonly Address[];
  /** The port of the node's kubelet API. */
  readonly port: number;
  readonly maxPods: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The taints of a node that registers for the first time. */
  readonly taints: readonly Taint[];
  /** The pod CIDRs of this node, if the cluster does not assign any. */
  readonly podCidrs: readonly Prefix[];
  readonly info: NodeSystemInfo;
}

export function nodeDraft(description: NodeDescription): Node {
  const { name, taints } = description;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: labelsOf(description) },
    spec: { ...cidrFields(description), ...(taints.length > 0 && { taints: [...taints] }) },
  };
}

/** Returns a patch for labels and CIDRs that an older registration lacks; `undefined` if there are none. */
export function nodePatch(
  { metadata, spec }: Node,
  description: NodeDescription,
): Pick<Node, "metadata" | "spec"> | undefined {
  const wanted = Object.entries(labelsOf(description));
  const labels = Object.fromEntries(
    wanted.filter(([key, value]) => metadata.labels?.[key] !== value),
  );
  const fields = (spec.podCIDRs ?? []).length > 0 ? {} : cidrFields(description);
  if (Object.keys(labels).length === 0 && Object.keys(fields).length === 0) return undefined;
  return { metadata: { name: metadata.name, labels }, spec: fields };
}

/** Returns the status without the conditions. */
export function nodeStatus(description: NodeDescription, supplies: Supplies): NodeStatus {
  const { cpus, memoryBytes, diskBytes } = supplies;
  const shared = { cpu: String(cpus), pods: String(description.maxPods) };
  return {
    addresses: nodeAddresses(description),
    capacity: {
      ...shared,
      memory: kibibytes(memoryBytes),
      "ephemeral-storage": kibibytes(diskBytes),
    },
    allocatable: {
      ...shared,
      memory: kibibytes(Math.max(0, memoryBytes - leastMemoryBytes)),
      "ephemeral-storage": kibibytes(diskBytes * (1 - leastDiskShare)),
    },
    daemonEndpoints: { kubeletEndpoint: { Port: description.port } },
    nodeInfo: description.info,
  };
}

function nodeAddresses({ addresses, hostname }: NodeDescription): NodeAddress[] {
  return [
    ...addresses.map((address) => ({ type: "InternalIP", address: address.toString() })),
    { type: "Hostname", address: hostname },
  ];
}

function labelsOf({ labels, hostname, info }: NodeDescription): Record<string, string> {
  return {
    "kubernetes.io/hostname": hostname,
    "kubernetes.io/os": info.operatingSystem,
    "kubernetes.io/arch": info.architecture,
    ...labels,
  };
}

function cidrFields({ podCidrs }: NodeDescription): Pick<Node["spec"], "podCIDR" | "podCIDRs"> {
  const [first, ...others] = podCidrs.map(String);
  return first === undefined ? {} : { podCIDR: first, podCIDRs: [first, ...others] };
}

function kibibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024)}Ki`;
}

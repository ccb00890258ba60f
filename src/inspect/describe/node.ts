import { nodeTable } from "../../api/kinds/node.ts";
import type { Lease } from "../../api/types/coordination.ts";
import type { Event, Node, Pod } from "../../api/types/core.ts";
import { eventLines } from "./events.ts";
import { field, indented, longTime, pairs, table } from "./layout.ts";
import { allocatedLines, podsLines } from "./node-pods.ts";

export interface NodeDescription {
  readonly node: Node;
  readonly lease: Lease | undefined;
  /** The pods that are bound to the node. */
  readonly pods: readonly Pod[];
  readonly events: readonly Event[];
}

const roleColumn = nodeTable.columns.findIndex(({ name }) => name === "Roles");

export function describeNode({ node, lease, pods, events }: NodeDescription, now: Date): string[] {
  const { metadata, spec, status } = node;
  const roles = nodeTable.rows(node, now)[0]?.[roleColumn];
  const running = pods.filter(({ status: state }) => !isOver(state?.phase));
  const taints = (spec.taints ?? []).map(
    ({ key, value, effect }) => `${key}${value ? `=${value}` : ""}:${effect}`,
  );
  return [
    ...field("Name", metadata.name),
    ...field("Roles", typeof roles === "string" ? roles : undefined),
    ...field("Labels", pairs(metadata.labels)),
    ...field("Annotations", pairs(metadata.annotations, ": ")),
    ...field("CreationTimestamp", longTime(metadata.creationTimestamp)),
    ...field("Taints", taints),
    ...field("Unschedulable", String(spec.unschedulable ?? false)),
    ...leaseLines(lease),
    ...conditionLines(node),
    "Addresses:",
    ...indented((status?.addresses ?? []).flatMap(({ type, address }) => field(type, address))),
    "Capacity:",
    ...indented(pairs(status?.capacity, ":\t")),
    "Allocatable:",
    ...indented(pairs(status?.allocatable, ":\t")),
    "System Info:",
    ...indented(systemLines(node)),
    ...(spec.podCIDR ? field("PodCIDR", spec.podCIDR) : []),
    ...(spec.podCIDRs?.length ? field("PodCIDRs", spec.podCIDRs.join(",")) : []),
    ...(spec.providerID ? field("ProviderID", spec.providerID) : []),
    ...podsLines(running, status?.allocatable ?? {}, now),
    ...allocatedLines(running, status?.allocatable ?? {}),
    ...eventLines(events, now),
  ];
}

function leaseLines(lease: Lease | undefined): string[] {
  if (lease === undefined) return field("Lease", "<none>");
  const { holderIdentity, acquireTime, renewTime } = lease.spec;
  return [
    "Lease:",
    ...indented([
      ...field("HolderIdentity", holderIdentity ?? "<unset>"),
      ...field("AcquireTime", longTime(acquireTime)),
      ...field("RenewTime", longTime(renewTime)),
    ]),
  ];
}

function conditionLines({ status }: Node): string[] {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return field("Conditions", undefined);
  const titles = ["Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message"];
  const rows = conditions.map((condition) => [
    condition.type,
    condition.status,
    longTime(condition.lastHeartbeatTime),
    longTime(condition.lastTransitionTime),
    condition.reason ?? "",
    condition.message ?? "",
  ]);
  return ["Conditions:", ...indented(table(titles, rows))];
}

function systemLines({ status }: Node): string[] {
  const { nodeInfo } = status ?? {};
  return [
    ...field("Machine ID", nodeInfo?.machineID ?? ""),
    ...field("System UUID", nodeInfo?.systemUUID ?? ""),
    ...field("Boot ID", nodeInfo?.bootID ?? ""),
    ...field("Kernel Version", nodeInfo?.kernelVersion ?? ""),
    ...field("OS Image", nodeInfo?.osImage ?? ""),
    ...field("Operating System", nodeInfo?.operatingSystem ?? ""),
    ...field("Architecture", nodeInfo?.architecture ?? ""),
    ...field("Container Runtime Version", nodeInfo?.containerRuntimeVersion ?? ""),
    ...field("Kubelet Version", nodeInfo?.kubeletVersion ?? ""),
    ...field("Kube-Proxy Version", nodeInfo?.kubeProxyVersion ?? ""),
  ];
}

function isOver(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

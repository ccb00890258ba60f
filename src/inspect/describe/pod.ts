import { joinedAddresses } from "../../api/kinds/pod.ts";
import type { Event, Pod, Toleration } from "../../api/types/core.ts";
import { containerLines } from "./containers.ts";
import { eventLines } from "./events.ts";
import { field, indented, longTime, pairs } from "./layout.ts";
import { volumeLines } from "./volumes.ts";

export interface PodDescription {
  readonly pod: Pod;
  readonly events: readonly Event[];
}

export function describePod({ pod, events }: PodDescription, now: Date): string[] {
  const { metadata, spec, status } = pod;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const { initContainers = [] } = spec;
  return [
    ...field("Name", metadata.name),
    ...field("Namespace", metadata.namespace),
    ...field("Priority", String(spec.priority ?? 0)),
    ...field("Service Account", spec.serviceAccountName),
    ...field("Node", nodeText(pod)),
    ...(status?.startTime === undefined ? [] : field("Start Time", longTime(status.startTime))),
    ...field("Labels", pairs(metadata.labels)),
    ...field("Annotations", pairs(metadata.annotations, ": ")),
    ...statusLines(pod),
    ...(status?.reason ? field("Reason", status.reason) : []),
    ...(status?.message ? field("Message", status.message) : []),
    ...field("IP", status?.podIP ?? ""),
    ...field("IPs", joinedAddresses(status) || undefined),
    ...(owner === undefined ? [] : field("Controlled By", `${owner.kind}/${owner.name}`)),
    ...(initContainers.length === 0
      ? []
      : ["Init Containers:", ...containerLines(initContainers, status?.initContainerStatuses)]),
    "Containers:",
    ...containerLines(spec.containers ?? [], status?.containerStatuses),
    ...conditionLines(pod),
    ...volumeLines(spec.volumes ?? []),
    ...field("QoS Class", status?.qosClass),
    ...field("Node-Selectors", pairs(spec.nodeSelector)),
    ...field("Tolerations", (spec.tolerations ?? []).map(tolerationText).toSorted()),
    ...eventLines(events, now),
  ];
}

function nodeText({ spec, status }: Pod): string | undefined {
  return spec.nodeName ? `${spec.nodeName}/${status?.hostIP ?? ""}` : undefined;
}

function statusLines({ metadata, status }: Pod): string[] {
  if (metadata.deletionTimestamp === undefined) return field("Status", status?.phase);
  return [
    ...field("Status", `Terminating (since ${longTime(metadata.deletionTimestamp)})`),
    ...field("Termination Grace Period", `${metadata.deletionGracePeriodSeconds ?? 0}s`),
  ];
}

function conditionLines({ status }: Pod): string[] {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return [];
  const rows = conditions.map(({ type, status: value }) => `${type}\t${value}`);
  return ["Conditions:", ...indented(["Type\tStatus", ...rows])];
}

function tolerationText(toleration: Toleration): string {
  const { key = "", operator, value, effect, tolerationSeconds } = toleration;
  return [
    key,
    value ? `=${value}` : "",
    effect ? `:${effect}` : "",
    operator === "Exists" ? ` op=${operator}` : "",
    tolerationSeconds === undefined ? "" : ` for ${tolerationSeconds}s`,
  ].join("");
}

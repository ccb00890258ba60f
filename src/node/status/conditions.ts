// Conditions of a node: whether it is ready, and what it runs short of.
import { timestamp } from "../../api/fields/timestamp.ts";
import type { NodeCondition } from "../../api/types/core.ts";
import type { Supplies } from "./machine.ts";

export type Finding = Pick<NodeCondition, "type" | "status" | "reason" | "message">;

/** The limits below which a node accepts no more pods. Its allocatable resources are what lies above. */
export const leastMemoryBytes = 100 * 1024 * 1024;
export const leastDiskShare = 0.1;
const leastShare = 0.05;

/** Returns the conditions; `missing` says what is not ready yet, and is empty when all is. */
export function findingsOf(supplies: Supplies, missing: readonly string[]): readonly Finding[] {
  const { memoryFreeBytes, diskBytes, diskFreeBytes, inodes, inodesFree, tasks, tasksMost } =
    supplies;
  const isDiskShort =
    diskFreeBytes < leastDiskShare * diskBytes || (inodes > 0 && inodesFree < leastShare * inodes);
  return [
    pressure("Memory", memoryFreeBytes < leastMemoryBytes, "memory available"),
    pressure("Disk", isDiskShort, "disk space available"),
    pressure("PID", tasks > (1 - leastShare) * tasksMost, "process ids available"),
    missing.length === 0
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "the node is ready" }
      : { type: "Ready", status: "False", reason: "KubeletNotReady", message: missing.join("; ") },
  ];
}

/** Merges conditions: those of other writers stay, and an unchanged one keeps its transition time. */
export function mergeConditions(
  present: readonly NodeCondition[],
  findings: readonly Finding[],
  now: Date,
): NodeCondition[] {
  const time = timestamp(now);
  const types = new Set(findings.map(({ type }) => type));
  const merged = findings.map((finding) => {
    const before = present.find(({ type }) => type === finding.type);
    const since = before?.status === finding.status ? before.lastTransitionTime : undefined;
    return { ...finding, lastHeartbeatTime: time, lastTransitionTime: since ?? time };
  });
  return [...present.filter(({ type }) => !types.has(type)), ...merged];
}

function pressure(what: "Memory" | "Disk" | "PID", isShort: boolean, of: string): Finding {
  const type = `${what}Pressure`;
  return isShort
    ? { type, status: "True", reason: `Has${type}`, message: `the node has too little ${of}` }
    : { type, status: "False", reason: `HasNo${type}`, message: `the node has enough ${of}` };
}

// Computes the taints of a node from its conditions.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Node, Taint } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";

const prefix = "node.kubernetes.io/";

interface Symptom {
  readonly condition: string;
  readonly status: string;
  readonly taint: string;
  /** Whether the taint evicts pods as well (NoExecute). */
  readonly evicts?: boolean;
}

const symptoms: readonly Symptom[] = [
  { condition: "Ready", status: "False", taint: "not-ready", evicts: true },
  { condition: "Ready", status: "Unknown", taint: "unreachable", evicts: true },
  { condition: "MemoryPressure", status: "True", taint: "memory-pressure" },
  { condition: "DiskPressure", status: "True", taint: "disk-pressure" },
  { condition: "PIDPressure", status: "True", taint: "pid-pressure" },
  { condition: "NetworkUnavailable", status: "True", taint: "network-unavailable" },
];
const unschedulable = "unschedulable";
const ours = new Set([...symptoms.map(({ taint }) => taint), unschedulable].map((t) => prefix + t));

export interface TaintOptions {
  /** The time in milliseconds since 1970. */
  readonly now: number;
  /** Whether pods may be evicted from silent nodes. */
  readonly mayEvict: boolean;
}

/** Returns the new taints; `undefined` if they are right. */
export function changedTaints(node: Node, options: TaintOptions): Taint[] | undefined {
  const { taints: present = [] } = node.spec;
  const wanted = wantedTaints(node, options).map(
    (taint) => present.find((each) => isSame(each, taint)) ?? taint,
  );
  const others = present.filter((taint) => !isOurs(taint, options));
  const taints = [...others, ...wanted.filter((taint) => !others.includes(taint))];
  return sameJson(sorted(taints), sorted(present)) ? undefined : taints;
}

function wantedTaints({ spec, status }: Node, { now, mayEvict }: TaintOptions): Taint[] {
  const found = symptoms.filter(({ condition, status: value }) =>
    status?.conditions?.some((each) => each.type === condition && each.status === value),
  );
  const keeping = [
    ...found.map(({ taint }) => taint),
    ...(spec.unschedulable ? [unschedulable] : []),
  ];
  const driving = mayEvict ? found.filter(({ evicts }) => evicts === true) : [];
  return [
    ...keeping.map((name) => ({ key: prefix + name, effect: "NoSchedule" as const })),
    ...driving.map(({ taint }) => ({
      key: prefix + taint,
      effect: "NoExecute" as const,
      timeAdded: timestamp(now),
    })),
  ];
}

/** Whether the taint is ours to change. While eviction is suspended, NoExecute taints stay as they are. */
function isOurs({ key, effect }: Taint, { mayEvict }: TaintOptions): boolean {
  if (!ours.has(key)) return false;
  return effect === "NoSchedule" || (effect === "NoExecute" && mayEvict);
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

function sorted(taints: readonly Taint[]): Taint[] {
  return taints.toSorted((a, b) => (`${a.key} ${a.effect}` < `${b.key} ${b.effect}` ? -1 : 1));
}

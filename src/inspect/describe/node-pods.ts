// Sums the resource requests and limits of a node's pods.

import { formatQuantity, nanosOf } from "../../api/fields/quantity.ts";
import { ageOf } from "../../api/kinds/age.ts";
import type { Pod } from "../../api/types/core.ts";
import { indented, table } from "./layout.ts";

type Amounts = Readonly<Record<string, string>>;

const resources = [
  { name: "cpu", notation: "decimal" },
  { name: "memory", notation: "binary" },
  { name: "ephemeral-storage", notation: "binary" },
] as const;
type Resource = (typeof resources)[number];

const kinds = ["requests", "limits"] as const;

const titles = [
  "Namespace",
  "Name",
  "CPU Requests",
  "CPU Limits",
  "Memory Requests",
  "Memory Limits",
  "Age",
];

export function podsLines(pods: readonly Pod[], allocatable: Amounts, now: Date): string[] {
  const rows = pods.map((pod) => [
    pod.metadata.namespace,
    pod.metadata.name,
    ...resources.slice(0, 2).flatMap((resource) => shares([pod], resource, allocatable)),
    ageOf(pod.metadata.creationTimestamp, now),
  ]);
  return [`Non-terminated Pods:\t(${pods.length} in total)`, ...indented(table(titles, rows))];
}

export function allocatedLines(pods: readonly Pod[], allocatable: Amounts): string[] {
  const rows = resources.map((resource) => [resource.name, ...shares(pods, resource, allocatable)]);
  return [
    "Allocated resources:",
    "  (Total limits may be over 100 percent, i.e., overcommitted.)",
    ...indented(table(["Resource", "Requests", "Limits"], rows)),
  ];
}

/** Formats the sums of requests and of limits: `250m (12%)`. */
function shares(
  pods: readonly Pod[],
  { name, notation }: Resource,
  allocatable: Amounts,
): string[] {
  const capacity = nanosOf(allocatable[name] ?? "0");
  return kinds.map((kind) => {
    let nanos = 0n;
    for (const { spec } of pods) {
      for (const { resources: given } of spec.containers ?? []) {
        nanos += nanosOf(given?.[kind]?.[name] ?? "0");
      }
    }
    const percent = capacity === 0n ? 0n : (100n * nanos) / capacity;
    return `${formatQuantity({ nanos, notation })} (${percent}%)`;
  });
}

// Requests and limits of containers in the units of the kernel, and what a change of them means.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { Container, PodSpec, ResourceRequirements } from "../../../api/types/core.ts";
import type { ContainerSpec } from "../../runtime/runtime.ts";
import { slotsOf } from "../decide/slots.ts";

const resizable = ["cpu", "memory"] as const;

export type Resizable = (typeof resizable)[number];

/** Amounts in billionths. */
export type Amounts = Readonly<Record<Resizable, bigint>>;

/** Converts requests and limits to the runtime's units; a request of memory restricts nothing at run time. */
export function cgroupResources({
  limits = {},
  requests = {},
}: ResourceRequirements = {}): NonNullable<ContainerSpec["resources"]> {
  const { cpu, memory } = limits;
  const asked = requests["cpu"] ?? cpu;
  return {
    ...(asked === undefined ? {} : { cpuRequestMillis: millis(asked) }),
    ...(cpu === undefined ? {} : { cpuMillis: millis(cpu) }),
    ...(memory === undefined ? {} : { memoryBytes: Number(nanosOf(memory) / 1_000_000_000n) }),
  };
}

/** Returns which of processor and memory differ between two sets of requests and limits. */
export function changedResources(
  before: ResourceRequirements = {},
  after: ResourceRequirements = {},
): readonly Resizable[] {
  return resizable.filter((name) =>
    (["requests", "limits"] as const).some(
      (list) => amount(before[list], name) !== amount(after[list], name),
    ),
  );
}

/** Returns whether a container must be restarted for a change of these resources. */
export function needsRestart(
  { resizePolicy = [] }: Pick<Container, "resizePolicy">,
  changed: readonly Resizable[],
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" && changed.some((name) => name === resourceName),
  );
}

/** Returns what the containers that last request together. */
export function requestedBy(
  spec: PodSpec,
  resourcesOf: (name: string) => ResourceRequirements | undefined,
): Amounts {
  const lasting = slotsOf(spec).filter(({ kind }) => kind === "main" || kind === "sidecar");
  const total = (name: Resizable) =>
    lasting.reduce((sum, slot) => sum + amount(resourcesOf(slot.name)?.requests, name), 0n);
  return { cpu: total("cpu"), memory: total("memory") };
}

export function sumOf(all: readonly Amounts[]): Amounts {
  const total = (name: Resizable) => all.reduce((sum, each) => sum + each[name], 0n);
  return { cpu: total("cpu"), memory: total("memory") };
}

function amount(amounts: Readonly<Record<string, string>> | undefined, name: Resizable): bigint {
  return nanosOf(amounts?.[name] ?? "0");
}

function millis(cpu: string): number {
  return Number((nanosOf(cpu) + 999_999n) / 1_000_000n);
}

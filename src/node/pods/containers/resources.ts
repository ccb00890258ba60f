import { nanosOf } from "../../../api/kinds/quantity.ts";
import type { ResourceRequirements } from "../../../api/types/core.ts";
import type { ContainerSpec } from "../../runtime/runtime.ts";

/** Converts a container's limits to the runtime's units; requests restrict nothing at run time. */
export function limitsOf({
  limits = {},
}: ResourceRequirements = {}): NonNullable<ContainerSpec["resources"]> {
  const { cpu, memory } = limits;
  return {
    ...(cpu === undefined ? {} : { cpuMillis: Number(nanosOf(cpu) / 1_000_000n) }),
    ...(memory === undefined ? {} : { memoryBytes: Number(nanosOf(memory) / 1_000_000_000n) }),
  };
}

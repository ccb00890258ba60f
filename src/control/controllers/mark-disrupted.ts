import type { ResourceClient } from "../../api/client/resource-client.ts";
import { timestamp } from "../../api/fields/timestamp.ts";
import type { Pod } from "../../api/types/core.ts";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Marks a pod before the control plane deletes it: failure policies of Jobs tell it from failures of its own. */
export async function markDisrupted(
  pods: ResourceClient<Pod>,
  { metadata }: Pod,
  { reason, message, now, signal }: Disruption,
): Promise<void> {
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason,
    message,
    lastTransitionTime: timestamp(now),
  };
  const { uid = "" } = metadata;
  const strategic = { metadata: { uid }, status: { conditions: [condition] } };
  await pods.patchStatus(metadata, { strategic }, { signal });
}

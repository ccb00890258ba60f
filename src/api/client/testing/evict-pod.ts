import type { Pod } from "../../types/core.ts";
import type { Place } from "../objects.ts";
import type { DeleteOptions } from "../options.ts";
import type { ResourceClient } from "../resource-client.ts";

/** Evicts a pod, unless a disruption budget forbids it: isTooManyRequests. */
export async function evictPod(
  pods: ResourceClient<Pod>,
  pod: Place<Pod>,
  options: DeleteOptions = {},
): Promise<void> {
  const { signal, timeoutMs, dryRun = false, ...deleteOptions } = options;
  const { namespace, name } = pod;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace, name },
    deleteOptions: { ...deleteOptions, ...(dryRun ? { dryRun: ["All"] } : {}) },
  };
  const target = { namespace, name, subresource: "eviction" };
  await pods.createInside(target, body, { signal, timeoutMs, dryRun });
}

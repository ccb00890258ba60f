// Port-forward: each connection is made inside of the pod's network namespace, so that servers on the pod's
// loopback are reached, too.
import type { UpgradeRequest } from "../../base/streaming/handshake.ts";
import { servePortForward } from "../../base/streaming/port-forward.ts";
import type { PodContainers } from "../pods/pods.ts";
import { connectInside } from "./connect-inside.system.ts";
import { ServeError } from "./error.ts";
import type { PodTarget } from "./target.ts";

/** Serves a forwarding session; resolves when the client is gone. */
export async function serveForwarding(
  { namespace, pod, query }: PodTarget,
  upgrade: UpgradeRequest,
  pods: PodContainers,
): Promise<void> {
  const network = await pods.networkOf({ namespace, name: pod });
  if (network === undefined) throw new ServeError(404, `pod "${pod}" has no network here`);
  await servePortForward(upgrade, (port) => connectInside(network.namespace, port), { query });
}

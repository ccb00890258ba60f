// Waits for the cluster's DNS, which may still be starting when the nodes are ready.

import { isForbidden } from "../../api/client/errors.ts";
import { TooLongError, until } from "../../base/host/until.ts";
import type { Deployment } from "./deploy.ts";
import { whyNotReady } from "./unready.ts";

const pauseMs = 250;
/** The label that pods of a cluster's DNS have everywhere. */
const selection = { namespace: "kube-system", labelSelector: "k8s-app=kube-dns" };

/**
 * Waits until the pods of DNS are ready. DNS that does not get ready, or that this user may not see, is no
 * error here: the questions by name tell.
 */
export async function untilNamed(deployment: Deployment): Promise<void> {
  const { client, clock, timeoutMs: limitMs, signal } = deployment;
  const pods = client.resource("v1", "Pod");
  const isReady = async () => {
    const { items } = await pods.list({ ...selection, signal });
    return items.every((pod) => whyNotReady(pod) === undefined) ? true : undefined;
  };
  try {
    await until(isReady, { clock, signal, what: "DNS is ready", limitMs, pauseMs });
  } catch (error) {
    if (!(error instanceof TooLongError) && !isForbidden(error)) throw error;
  }
}

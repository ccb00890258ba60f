// The node's heartbeat: a Lease that it renews, so that watchers need not read whole Node objects.

import { isAlreadyExists, isNotFound } from "../../api/client/errors.ts";
import type { ResourceClient } from "../../api/client/resource-client.ts";
import { microTimestamp } from "../../api/fields/timestamp.ts";
import type { Lease } from "../../api/types/coordination.ts";
import type { Node } from "../../api/types/core.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";

interface Options {
  readonly leases: ResourceClient<Lease>;
  readonly nodeName: string;
  /** Returns the current Node object, which owns the lease; waits until there is one. */
  readonly node: () => Promise<Node>;
  readonly clock: Clock;
  readonly log: Log;
}

const namespace = "kube-node-lease";
const beatMs = 10_000;
const leaseDurationSeconds = 40;

export function heartbeat(options: Options): Part {
  const { nodeName, clock, log } = options;
  return {
    name: "heartbeat",
    async run(signal) {
      for (;;) {
        try {
          await beat(options, signal);
        } catch (error) {
          signal.throwIfAborted();
          log.warn("Cannot renew the lease of the node", { error, node: nodeName });
        }
        await clock.sleep(beatMs, signal);
      }
    },
  };
}

async function beat(options: Options, signal: AbortSignal): Promise<void> {
  const { leases, nodeName: name, node, clock } = options;
  const call = { signal, timeoutMs: beatMs };
  // Leases have times in microseconds.
  const renewTime = microTimestamp(clock.now());
  const spec = { holderIdentity: name, leaseDurationSeconds, renewTime };
  try {
    await leases.patch({ namespace, name }, { merge: { spec } }, call);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const { uid = "" } = (await node()).metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
    await leases
      .create({ metadata: { namespace, name, ownerReferences }, spec }, call)
      .catch((lost: unknown) => {
        if (!isAlreadyExists(lost)) throw lost;
      });
  }
}

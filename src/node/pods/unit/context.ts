// The context that all pods of a node share.

import { join } from "node:path";
import type { Remark } from "../../../api/client/events.ts";
import type { Informer } from "../../../api/client/informer.ts";
import type { HostIP, Pod, Service } from "../../../api/types/core.ts";
import { hostIPsOf } from "../addresses.ts";
import type { PodMachine } from "../machine.ts";
import type { PodsOptions, RestartDelays } from "../options.ts";
import type { Amounts } from "../resize/resources.ts";
import type { SandboxKeeper } from "../sandbox/keeper.ts";
import { ClaimedVolumes } from "../volumes/claimed.ts";
import { DirectoryVolumes } from "../volumes/directory-volumes.ts";
import { ApiObjects } from "../volumes/named-objects.ts";
import { BusySteps } from "./busy-steps.ts";

export interface PodContext extends PodsOptions {
  readonly machine: PodMachine;
  readonly sandboxes: SandboxKeeper;
  readonly busy: BusySteps;
  readonly objects: ApiObjects;
  readonly claims: ClaimedVolumes;
  readonly directoryVolumes: DirectoryVolumes;
  readonly services: Informer<Service>;
  readonly hostIPs: readonly HostIP[];
  readonly delays: RestartDelays;
  /** Queues the pod to be looked at again. */
  readonly enqueue: (uid: string) => void;
  readonly enqueueAfter: (uid: string, ms: number) => void;
  /** Returns the other pods that the node has accepted, with what they were granted. */
  readonly neighbours: (uid: string) => readonly Neighbour[];
  /** Called when nothing is left of the pod on the node. */
  forget(uid: string): void;
  remark(pod: Pod, remark: Remark): void;
}

export interface Neighbour {
  readonly pod: Pod;
  readonly granted: Amounts;
}

const usualDelays: RestartDelays = { initialMs: 10_000, maximumMs: 300_000, resetMs: 600_000 };

type Parts = Pick<
  PodContext,
  "sandboxes" | "machine" | "enqueue" | "enqueueAfter" | "forget" | "neighbours"
>;

export function createPodContext(options: PodsOptions, parts: Parts): PodContext {
  const { client, clock, informers, metrics, random, log, recorder, node } = options;
  const directory = join(options.directories.data, "claims");
  const directories = new DirectoryVolumes({
    client,
    node,
    directory,
    directories: parts.machine.volumeDirectories,
    clock,
    random,
    log,
  });
  return {
    ...options,
    ...parts,
    busy: new BusySteps({ clock, metrics }),
    objects: new ApiObjects(client, { clock, random, log }),
    directoryVolumes: directories,
    claims: new ClaimedVolumes({ client, node, directories, hostPath: parts.machine.hostPath }),
    services: informers.of(client.resource("v1", "Service")),
    hostIPs: hostIPsOf(options.hostAddresses, options.firstFamily),
    delays: options.restarts ?? usualDelays,
    remark: (pod, remark) => recorder.record(pod, remark),
  };
}

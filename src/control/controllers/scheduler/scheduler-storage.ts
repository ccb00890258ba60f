// The storage that the scheduler knows, and how it has volumes bound for a pod.

import type { Client } from "../../../api/client/client.ts";
import type { Index, Informers } from "../../../api/client/informer.ts";
import {
  boundByController,
  classNameOf,
  isFullyBound,
  selectedNode,
} from "../../../api/kinds/storage.ts";
import type { Node, PersistentVolume, Pod } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { needsOf } from "./pod-needs.ts";
import type { SchedulerStorage } from "./scheduler.ts";
import { type NodeVolumes, volumesOf, volumesOn } from "./volumes.ts";

const byClass: Index<PersistentVolume> = (volume) => [classNameOf(volume)];

/** How long a pod keeps its place on a node while its volumes are made. */
const patienceMs = 120_000;

export interface StorageOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
}

export function schedulerStorage({ client, informers }: StorageOptions): SchedulerStorage {
  const claims = informers.of(client.resource("v1", "PersistentVolumeClaim"));
  const volumes = informers.of(client.resource("v1", "PersistentVolume"), { indexes: [byClass] });
  const classes = informers.of(client.resource("storage.k8s.io/v1", "StorageClass"));
  return {
    claim: (key) => claims.get(key),
    volume: (name) => volumes.get(name),
    volumesOfClass: (name) => volumes.by(byClass, name),
    storageClass: (name) => classes.get(name),
    synced: Promise.all([claims.synced, volumes.synced, classes.synced]),
    subscribe(changed) {
      const leave = [claims, volumes, classes].map((each) => each.subscribe(changed));
      return () => {
        for (const each of leave) each();
      };
    },
  };
}

/** Returns a function that has the volumes of a pod bound for a node, and waits until they are. */
export function volumeBinder(
  storage: SchedulerStorage,
  { client, clock, informers }: StorageOptions,
) {
  const nodes = informers.of(client.resource("v1", "Node"));
  return async (pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> => {
    const node = nodes.get(nodeName);
    const plan = node && planOf(pod, node, storage);
    if (plan === undefined) throw new Error(`Cannot bind volumes of the pod on ${nodeName}`);
    if (plan === "bound") return;
    await write(client, plan, { node: nodeName, signal });
    await untilBound(pod, { storage, clock, signal });
  };
}

function planOf(
  pod: Pod,
  node: Node,
  storage: SchedulerStorage,
): NodeVolumes | "bound" | undefined {
  const volumes = volumesOf(needsOf(pod), storage);
  if (typeof volumes === "string") return undefined;
  return volumes.open.length === 0 ? "bound" : volumesOn(node, volumes.open, storage);
}

async function write(
  client: Client,
  { bind, provision }: NodeVolumes,
  { node, signal }: { readonly node: string; readonly signal: AbortSignal },
): Promise<void> {
  const volumes = client.resource("v1", "PersistentVolume");
  for (const { claim, volume } of bind) {
    const { namespace, name, uid = "" } = claim.metadata;
    const annotations = { ...volume.metadata.annotations, [boundByController]: "yes" };
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
    await volumes.update(
      {
        ...volume,
        metadata: { ...volume.metadata, annotations },
        spec: { ...volume.spec, claimRef },
      },
      { signal },
    );
  }
  const claims = client.resource("v1", "PersistentVolumeClaim");
  for (const { metadata } of provision) {
    const { uid = "" } = metadata;
    const merge = { metadata: { uid, annotations: { [selectedNode]: node } } };
    await claims.patch(metadata, { merge }, { signal });
  }
}

interface Waiting {
  readonly storage: SchedulerStorage;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Resolves when all claims of the pod are bound; rejects when that takes too long. */
async function untilBound(pod: Pod, { storage, clock, signal }: Waiting): Promise<void> {
  const { namespace, claims } = needsOf(pod);
  const isBound = () =>
    claims.every(({ name }) => {
      const claim = storage.claim(`${namespace}/${name}`);
      return claim !== undefined && isFullyBound(claim);
    });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = () => reject(signal.reason as Error);
  const timer = clock.setTimer(patienceMs, () =>
    reject(
      new Error(`Cannot bind volumes of ${namespace}/${pod.metadata.name}: it takes too long`),
    ),
  );
  signal.addEventListener("abort", end, { once: true });
  const leave = storage.subscribe(() => {
    if (isBound()) resolve();
  });
  if (signal.aborted) end();
  try {
    await promise;
  } finally {
    leave();
    timer.cancel();
    signal.removeEventListener("abort", end);
  }
}

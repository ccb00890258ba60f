// Hollow nodes: they register, keep their lease, and give their pods addresses of the real IPAM and a readiness
// that comes and goes.

import type { Client } from "../../../src/api/client/client.ts";
import { Informers } from "../../../src/api/client/informer.ts";
import { microTimestamp, timestamp } from "../../../src/api/fields/timestamp.ts";
import type { Pod } from "../../../src/api/types/core.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";
import { callIpam } from "./ipam.ts";
import { unlessLost } from "./users.ts";

const leaseNamespace = "kube-node-lease";
export function node(world: World, name: string) {
  return async (process: Process): Promise<void> => {
    const client = world.clientOf(process);
    const informers = new Informers(process.settings);
    const pods = informers.of(client.resource("v1", "Pod"), {
      fieldSelector: `spec.nodeName=${name}`,
    });
    void informers.run(new AbortController().signal);
    world.simulation.start(process, () => heartbeat(process, client, name));
    for (;;) {
      // Pods that start at the same moment on several nodes contend for addresses.
      await process.clock.sleep(1_000 - (world.simulation.now % 1_000));
      for (const pod of pods.list()) {
        await unlessLost(serve({ world, process, client, node: name }, pod));
      }
    }
  };
}

async function heartbeat(process: Process, client: Client, name: string): Promise<void> {
  const nodes = client.resource("v1", "Node");
  const leases = client.resource("coordination.k8s.io/v1", "Lease");
  for (let round = 0; ; round++) {
    const ready = {
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      lastHeartbeatTime: timestamp(process.clock.now()),
    };
    const allocatable = { cpu: "8", memory: "8Gi", pods: "50" };
    const status = { conditions: [ready], allocatable, capacity: allocatable };
    const renewal = {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: microTimestamp(process.clock.now()),
    };
    const metadata = { namespace: leaseNamespace, name };
    if (round < 2) await unlessLost(nodes.create({ metadata: { name }, spec: {} }));
    if (round < 2) await unlessLost(leases.create({ metadata, spec: renewal }));
    await unlessLost(leases.patch(metadata, { merge: { spec: renewal } }));
    await unlessLost(nodes.patchStatus({ name }, { strategic: { status } }));
    await process.clock.sleep(round < 1 ? 1_000 : 10_000);
  }
}

interface Kubelet {
  readonly world: World;
  readonly process: Process;
  readonly client: Client;
  readonly node: string;
}

async function serve(kubelet: Kubelet, pod: Pod): Promise<void> {
  const { world, client } = kubelet;
  const { namespace, name, uid = "", deletionTimestamp } = pod.metadata;
  const pods = client.resource("v1", "Pod");
  if (deletionTimestamp !== undefined) {
    if ((await callIpam(kubelet, "DEL", pod.metadata)) === undefined) return;
    await pods.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
    return;
  }
  const isNew = pod.status?.podIPs === undefined;
  if (!isNew && !(world.isTroubled && world.simulation.chance(0.05))) return;
  const ips = isNew ? await callIpam(kubelet, "ADD", pod.metadata) : (pod.status?.podIPs ?? []);
  if (ips === undefined) return;
  const ready = !world.isTroubled || world.simulation.chance(0.7) ? "True" : "False";
  const status = {
    phase: "Running",
    podIP: ips[0]?.ip,
    podIPs: ips,
    conditions: [{ type: "Ready", status: ready }],
  };
  await pods.patchStatus({ namespace, name }, { strategic: { metadata: { uid }, status } });
}

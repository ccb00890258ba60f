// Wires the parts that run pods on a node: images, containers and pods.

import { join } from "node:path";
import { EventRecorder } from "../../api/client/events.ts";
import { defined } from "../../base/json/defined.ts";
import type { Address } from "../../base/net/address.ts";
import type { Part } from "../../base/program/run-all.ts";
import type { PodContainers, PodNetwork, PodsOptions, ProbeFamily } from "../../node/pods/pods.ts";
import { openPods, parseSysctlPatterns } from "../../node/pods/pods.ts";
import type { Containers } from "../../node/runtime/runtime.ts";
import { openContainers, openImages } from "../../node/runtime/runtime.ts";
import { firstFamilyOf } from "./first-family.ts";
import { timedSteps } from "./times.ts";

export interface PodsSettings {
  readonly dataDir: string;
  readonly runDir: string;
  readonly imageDir?: string | undefined;
  readonly cgroupParent: string;
  readonly staticPods?: string | undefined;
  readonly allowHostImage: readonly string[];
  readonly hide: readonly string[];
  readonly allowedUnsafeSysctls: readonly string[];
  readonly seccompDefault: boolean;
  readonly podPidsLimit: number;
  readonly runtimeHandlers: readonly string[];
  readonly clusterDns: readonly Address[];
  readonly clusterDomain: string;
  readonly preferredProbeIpFamily: ProbeFamily;
}

type PodsSurroundings = Pick<
  PodsOptions,
  | "node"
  | "client"
  | "informers"
  | "commands"
  | "clock"
  | "random"
  | "log"
  | "hostAddresses"
  | "allocatable"
> & {
  readonly metrics: NonNullable<PodsOptions["metrics"]>;
  readonly network: PodNetwork;
  /** Resolves when pods can be attached to the network and containers can run. */
  readonly nodeReady: Promise<unknown>;
  /** The root of this program's installation, which holds its build output too. */
  readonly root: string;
};

export interface NodePods {
  readonly pods: PodContainers;
  readonly containers: Containers;
  readonly parts: readonly Part[];
}

export async function openNodePods(
  settings: PodsSettings,
  around: PodsSurroundings,
  signal: AbortSignal,
): Promise<NodePods> {
  const { dataDir, runDir, cgroupParent, staticPods } = settings;
  const { node, client, commands, root, nodeReady } = around;
  const hidden = [dataDir, runDir, ...settings.hide];
  const images = await openImages({
    directory: settings.imageDir ?? join(dataDir, "images"),
    commands,
    builtIn: {
      echo: { program: join(root, "build/tandem-echo") },
      pause: { program: join(root, "build/tandem-sandbox") },
      ...(settings.allowHostImage.length > 0 && {
        host: { hidden },
        tandem: { directory: root, hidden },
      }),
    },
  });
  const containers = await openContainers({
    directory: join(dataDir, "containers"),
    commands,
    images,
    ...(cgroupParent !== "" && { cgroup: join(cgroupParent, node) }),
  });
  await containers.collect();
  const recorder = new EventRecorder({
    ...around,
    events: client.resource("v1", "Event"),
    component: "tandem-agent",
    host: node,
  });
  const times = timedSteps(around.metrics, around.clock);
  const pods = openPods({
    ...around,
    recorder,
    network: times.network(around.network),
    containers: times.containers(containers),
    images,
    firstFamily: await firstFamilyOf(client, around, signal),
    directories: {
      run: join(runDir, "pods"),
      data: join(dataDir, "pods"),
      logs: join(dataDir, "logs"),
      seccomp: join(dataDir, "seccomp"),
      ...defined({ manifests: staticPods }),
    },
    dns: { servers: settings.clusterDns, domain: settings.clusterDomain },
    admission: {
      allowedSysctls: parseSysctlPatterns(settings.allowedUnsafeSysctls),
      hostImageUsers: settings.allowHostImage,
    },
    confinement: {
      seccompDefault: settings.seccompDefault,
      pidsLimit: settings.podPidsLimit <= 0 ? undefined : settings.podPidsLimit,
    },
    runtimeHandlers: settings.runtimeHandlers,
    preferredProbeFamily: settings.preferredProbeIpFamily,
  });
  return {
    pods: pods.containers,
    containers,
    parts: [
      recorder,
      {
        name: "containers",
        async run(stop) {
          await containers.run(stop);
          await containers.close();
        },
      },
      {
        name: pods.name,
        async run(stop) {
          await beforeAbort(nodeReady, stop);
          await pods.run(stop);
        },
      },
    ],
  };
}

async function beforeAbort(ready: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  signal.throwIfAborted();
  await Promise.race([ready, promise]);
}

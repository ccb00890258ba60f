// One look at what a node and its containers have used so far.

import { join } from "node:path";
import type { Pod } from "../../api/types/core.ts";
import type { DiskUsage, ReadDisk } from "../../base/host/disk.ts";
import type { Files } from "../../base/host/files.ts";
import { systemCode } from "../../base/program/errors.ts";
import type { PodContainers } from "../pods/pods.ts";
import type { ContainerState, Containers } from "../runtime/runtime.ts";
import { type CgroupUsage, cgroupHierarchies, readCgroup } from "./cgroup-usage.ts";
import {
  type InterfaceUsage,
  interfacesOf,
  type MachineUsage,
  machineUsage,
} from "./machine-usage.ts";

export interface StatsOptions {
  readonly node: string;
  readonly pods: PodContainers;
  readonly containers: Containers;
  readonly files: Files;
  readonly readDisk: ReadDisk;
  /** The cgroup that the cgroups of containers are in; `undefined` where they have none. */
  readonly cgroup: string | undefined;
  /** The directory whose disk pods write to. */
  readonly directory: string;
  readonly now: () => number;
}

export interface ContainerSample {
  readonly state: ContainerState;
  readonly usage: CgroupUsage;
}

export interface PodSample {
  readonly pod: Pod;
  readonly containers: readonly ContainerSample[];
  /** The interfaces; empty for pods in the node's own network. */
  readonly interfaces: readonly InterfaceUsage[];
}

export interface Sample {
  readonly at: number;
  readonly machine: MachineUsage;
  readonly interfaces: readonly InterfaceUsage[];
  readonly disk: DiskUsage;
  readonly pods: readonly PodSample[];
}

export async function takeSample(options: StatsOptions): Promise<Sample> {
  const { files, readDisk, pods, containers, directory, now } = options;
  const [stat = "", meminfo = "", own = "", disk, states] = await Promise.all([
    files.read("/proc/stat"),
    files.read("/proc/meminfo"),
    files.read("/proc/self/net/dev"),
    readDisk(directory),
    containers.list(),
  ]);
  const running = Map.groupBy(
    states.filter(({ status }) => status === "running"),
    ({ labels }) => labels.podUid,
  );
  return {
    at: now(),
    machine: machineUsage(stat, meminfo),
    interfaces: interfacesOf(own),
    disk,
    pods: await Promise.all(
      pods.list().map((pod) => samplePod(pod, running.get(pod.metadata.uid ?? "") ?? [], options)),
    ),
  };
}

async function samplePod(
  pod: Pod,
  states: readonly ContainerState[],
  { files, cgroup }: StatsOptions,
): Promise<PodSample> {
  const hierarchies = cgroupHierarchies((await files.read("/proc/self/mountinfo")) ?? "");
  const containers: ContainerSample[] = [];
  for (const state of states) {
    if (cgroup === undefined) continue;
    const usage = await readCgroup(files, hierarchies, join(cgroup, state.id));
    if (usage !== undefined) containers.push({ state, usage });
  }
  const pid = states.find((state) => state.pid !== undefined)?.pid;
  const isOwn = pid !== undefined && pod.spec.hostNetwork !== true;
  const text = isOwn ? await ifThere(files.read(`/proc/${pid}/net/dev`)) : undefined;
  return { pod, containers, interfaces: interfacesOf(text ?? "") };
}

/** Awaits a file of a process, which may end meanwhile. */
async function ifThere(reading: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (["ESRCH", "EINVAL"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

// The summary of a node's usage, as kubelets answer `/stats/summary`.

import { timestamp } from "../../api/fields/timestamp.ts";
import type { CgroupUsage } from "./cgroup-usage.ts";
import type { InterfaceUsage } from "./machine-usage.ts";
import type { PodSample } from "./samples.ts";
import type { Usage } from "./usage.ts";

export function summaryOf(node: string, usage: Usage) {
  const { sample, nodeNanoCores } = usage;
  const time = timestamp(sample.at);
  const { machine, disk } = sample;
  const fs = {
    time,
    ...disk,
    usedBytes: disk.capacityBytes - disk.availableBytes,
    inodesUsed: disk.inodes - disk.inodesFree,
  };
  return {
    node: {
      nodeName: node,
      cpu: {
        time,
        usageNanoCores: nodeNanoCores,
        usageCoreNanoSeconds: Number(machine.cpuNanos),
      },
      memory: {
        time,
        availableBytes: machine.availableBytes,
        usageBytes: machine.memoryBytes,
        workingSetBytes: machine.workingSetBytes,
      },
      network: networkOf(time, sample.interfaces),
      fs,
      runtime: { imageFs: fs },
    },
    pods: sample.pods.map((pod) => podOf(pod, usage, time)),
  };
}

function podOf({ pod, containers, interfaces }: PodSample, usage: Usage, time: string) {
  const { namespace, name, uid = "", creationTimestamp = time } = pod.metadata;
  const rates = containers.map(({ state }) => usage.nanoCores.get(state.id) ?? 0);
  return {
    podRef: { name, namespace, uid },
    startTime: pod.status?.startTime ?? creationTimestamp,
    containers: containers.map(({ state, usage: used }, index) => ({
      name: state.labels.container,
      startTime: timestamp(state.startedAt.getTime()),
      ...amounts(time, [used], rates[index] ?? 0),
    })),
    ...amounts(
      time,
      containers.map(({ usage: used }) => used),
      rates.reduce((sum, rate) => sum + rate, 0),
    ),
    ...(interfaces.length === 0 ? {} : { network: networkOf(time, interfaces) }),
  };
}

function amounts(time: string, all: readonly CgroupUsage[], usageNanoCores: number) {
  const sum = (amount: (usage: CgroupUsage) => number) =>
    all.reduce((total, usage) => total + amount(usage), 0);
  return {
    cpu: {
      time,
      usageNanoCores,
      usageCoreNanoSeconds: sum(({ cpuNanos }) => Number(cpuNanos)),
    },
    memory: {
      time,
      usageBytes: sum(({ memoryBytes }) => memoryBytes),
      workingSetBytes: sum(({ workingSetBytes }) => workingSetBytes),
      rssBytes: sum(({ residentBytes }) => residentBytes),
    },
  };
}

function networkOf(time: string, interfaces: readonly InterfaceUsage[]) {
  const [first] = interfaces;
  return { time, ...first, interfaces };
}

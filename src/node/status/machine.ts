// The machine's properties and capacity, as a node reports them, and how much of it is free.

import { availableParallelism, hostname, release } from "node:os";
import type { NodeSystemInfo } from "../../api/types/core.ts";
import type { ReadDisk } from "../../base/host/disk.ts";
import type { Files } from "../../base/host/files.ts";
import { kubernetesVersion, version } from "../../base/program/version.ts";

export interface Supplies {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly memoryFreeBytes: number;
  readonly diskBytes: number;
  readonly diskFreeBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  readonly tasks: number;
  readonly tasksMost: number;
}

export interface SuppliesOptions {
  readonly files: Files;
  readonly readDisk: ReadDisk;
  /** The directory where pods keep their data. */
  readonly directory: string;
}

/** Reads the capacity of this machine. */
export async function readSupplies(options: SuppliesOptions): Promise<Supplies> {
  const { files, readDisk, directory } = options;
  const [memory, load, pidMost, disk] = await Promise.all([
    files.read("/proc/meminfo"),
    files.read("/proc/loadavg"),
    files.read("/proc/sys/kernel/pid_max"),
    readDisk(directory),
  ]);
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(memory ?? "")?.[1] ?? 0);
  return {
    cpus: availableParallelism(),
    memoryBytes: kibibytes("MemTotal") * 1024,
    memoryFreeBytes: kibibytes("MemAvailable") * 1024,
    diskBytes: disk.capacityBytes,
    diskFreeBytes: disk.availableBytes,
    inodes: disk.inodes,
    inodesFree: disk.inodesFree,
    tasks: Number(/\/(\d+)/.exec(load ?? "")?.[1] ?? 0),
    tasksMost: Number(pidMost ?? 32_768),
  };
}

export async function readSystemInfo(files: Files): Promise<NodeSystemInfo> {
  const read = async (path: string) => (await files.read(path).catch(unreadable))?.trim() ?? "";
  const osRelease = await read("/etc/os-release");
  return {
    machineID: (await read("/etc/machine-id")) || hostname(),
    systemUUID: await read("/sys/class/dmi/id/product_uuid"),
    bootID: await read("/proc/sys/kernel/random/boot_id"),
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(osRelease)?.[1] ?? "Linux",
    containerRuntimeVersion: `tandem://${version}`,
    kubeletVersion: kubernetesVersion,
    kubeProxyVersion: kubernetesVersion,
    operatingSystem: "linux",
    architecture: goArchitecture(),
  };
}

/** Returns the name that labels and images of Kubernetes have for this machine's processor. */
export function goArchitecture(name: string = process.arch): string {
  return { x64: "amd64", ia32: "386" }[name] ?? name;
}

/** Returns `undefined` for files that only root may read; throws other errors. */
function unreadable(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
}

// The cgroups of containers, and the hierarchies that they are in.
import { parseMountinfo } from "../../../base/host/mountinfo.ts";

export interface Cgroups {
  /** Whether the machine has cgroup v2, one hierarchy for everything, instead of one for each resource. */
  readonly isUnified: boolean;
  /** Kills the processes in the cgroup and removes it, in every hierarchy where it exists. */
  clear(path: string): Promise<void>;
  /** Returns whether the kernel has killed a process of the cgroup for want of memory. */
  wasOutOfMemory(path: string): Promise<boolean>;
}

interface CgroupMount {
  readonly type: string;
  readonly directory: string;
}

/** Returns the mounted hierarchies of either version. */
export function cgroupMounts(mountinfo: string): readonly CgroupMount[] {
  return parseMountinfo(mountinfo)
    .filter(({ type }) => /^cgroup2?$/.test(type))
    .map(({ type, point }) => ({ type, directory: point }));
}

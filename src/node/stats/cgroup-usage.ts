// The usage of one cgroup, of either version.

import { join } from "node:path";
import type { Files } from "../../base/host/files.ts";
import { parseMountinfo } from "../../base/host/mountinfo.ts";

export interface CgroupUsage {
  /** The processor time used since the cgroup was made. */
  readonly cpuNanos: bigint;
  readonly memoryBytes: number;
  /** The memory without the part of the page cache that the kernel would give up first. */
  readonly workingSetBytes: number;
  readonly residentBytes: number;
}

export interface CgroupHierarchy {
  readonly directory: string;
  /** The controllers of a hierarchy of version 1; `undefined` for version 2. */
  readonly controllers: readonly string[] | undefined;
}

/** Returns the mounted hierarchies; version 2 counts only where there is none of version 1. */
export function cgroupHierarchies(mountinfo: string): readonly CgroupHierarchy[] {
  const all = parseMountinfo(mountinfo).flatMap(
    ({ point, type, ofFileSystem }): CgroupHierarchy[] => {
      if (type === "cgroup2") return [{ directory: point, controllers: undefined }];
      return type === "cgroup" ? [{ directory: point, controllers: ofFileSystem }] : [];
    },
  );
  const older = all.filter(({ controllers }) => controllers !== undefined);
  return older.length > 0 ? older : all;
}

/** Reads the usage of a cgroup; `undefined` if it is gone or nothing accounts for it. */
export async function readCgroup(
  files: Files,
  hierarchies: readonly CgroupHierarchy[],
  path: string,
): Promise<CgroupUsage | undefined> {
  const place = (controller: string): string | undefined => {
    const found = hierarchies.find(
      ({ controllers }) => controllers === undefined || controllers.includes(controller),
    );
    return found && join(found.directory, path);
  };
  const [cpu, memory] = [place("cpuacct"), place("memory")];
  if (cpu === undefined || memory === undefined) return undefined;
  const isUnified = hierarchies.every(({ controllers }) => controllers === undefined);
  const read = (directory: string, name: string) => files.read(join(directory, name));
  const [time, used, details] = await Promise.all(
    isUnified
      ? [read(cpu, "cpu.stat"), read(memory, "memory.current"), read(memory, "memory.stat")]
      : [
          read(cpu, "cpuacct.usage"),
          read(memory, "memory.usage_in_bytes"),
          read(memory, "memory.stat"),
        ],
  );
  if (time === undefined || used === undefined || details === undefined) return undefined;
  const memoryBytes = Number(used.trim());
  const inactive = fieldOf(details, isUnified ? "inactive_file" : "total_inactive_file");
  return {
    cpuNanos: isUnified ? BigInt(fieldOf(time, "usage_usec")) * 1_000n : BigInt(time.trim()),
    memoryBytes,
    workingSetBytes: Math.max(0, memoryBytes - inactive),
    residentBytes: fieldOf(details, isUnified ? "anon" : "total_rss"),
  };
}

function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
}

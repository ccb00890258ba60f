import { readFile, realpath } from "node:fs/promises";
import type { ContainerMount } from "../port.ts";
import { flagsAt, type KeptFlags } from "./flags.ts";

/** Finds the flags that the sources of these mounts have on this machine. */
export async function keptFlags(mounts: readonly ContainerMount[]): Promise<KeptFlags> {
  const mountinfo = await readFile("/proc/self/mountinfo", "utf8");
  const flags = mounts.map(async ({ source }) => {
    // A missing source is reported when it is mounted.
    const path = await realpath(source).catch(() => source);
    return [source, flagsAt(path, mountinfo)] as const;
  });
  return new Map(await Promise.all(flags));
}

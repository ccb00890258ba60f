// In a user namespace a mount keeps the flags it came with; who mounts it elsewhere must say so.
import { readFile, realpath } from "node:fs/promises";
import type { ContainerMount } from "../port.ts";

/** By source: the flags that cannot be taken off. */
export type KeptFlags = ReadonlyMap<string, readonly string[]>;

export async function keptFlags(mounts: readonly ContainerMount[]): Promise<KeptFlags> {
  const mountinfo = await readFile("/proc/self/mountinfo", "utf8");
  const flags = mounts.map(async ({ source }) => {
    // What does not exist is complained of when it is mounted.
    const path = await realpath(source).catch(() => source);
    return [source, flagsAt(path, mountinfo)] as const;
  });
  return new Map(await Promise.all(flags));
}

export function flagsAt(path: string, mountinfo: string): readonly string[] {
  let found = { point: "", options: "" };
  for (const line of mountinfo.split("\n")) {
    const [, , , , field = "", options = ""] = line.split(" ");
    const point = unescaped(field);
    const isAbove = path === point || path.startsWith(point === "/" ? point : `${point}/`);
    // Of several on one another the last counts.
    if (field !== "" && isAbove && point.length >= found.point.length) found = { point, options };
  }
  return found.options.split(",").filter((option) => keepable.includes(option));
}

const keepable = ["nosuid", "nodev", "noexec"];

/** The kernel writes blanks, tabs, newlines and backslashes as octal numbers. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

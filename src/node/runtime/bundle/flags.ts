// The mount flags that a user namespace cannot clear: a bind mount there must repeat its source's flags.
import { readFile, realpath } from "node:fs/promises";
import type { ContainerMount } from "../port.ts";

/** The flags that cannot be cleared, by source. */
export type KeptFlags = ReadonlyMap<string, readonly string[]>;

export async function keptFlags(mounts: readonly ContainerMount[]): Promise<KeptFlags> {
  const mountinfo = await readFile("/proc/self/mountinfo", "utf8");
  const flags = mounts.map(async ({ source }) => {
    // A missing source is reported when it is mounted.
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
    // The last of several mounts on the same mount point is the visible one.
    if (field !== "" && isAbove && point.length >= found.point.length) found = { point, options };
  }
  return found.options.split(",").filter((option) => keepable.includes(option));
}

const keepable = ["nosuid", "nodev", "noexec"];

/** Decodes the octal escapes that the kernel writes for blanks, tabs, newlines and backslashes. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

// The mount flags that a user namespace cannot clear: a bind mount there must repeat its source's flags.
import { parseMountinfo } from "../../../base/host/mountinfo.ts";

/** The flags that cannot be cleared, by source. */
export type KeptFlags = ReadonlyMap<string, readonly string[]>;

/** Returns the flags of the mount that a path is on. */
export function flagsAt(path: string, mountinfo: string): readonly string[] {
  let found: { point: string; options: readonly string[] } = { point: "", options: [] };
  for (const { point, options } of parseMountinfo(mountinfo)) {
    const isAbove = path === point || path.startsWith(point === "/" ? point : `${point}/`);
    // The last of several mounts on the same mount point is the visible one.
    if (isAbove && point.length >= found.point.length) found = { point, options };
  }
  return found.options.filter((option) => keepable.includes(option));
}

const keepable = ["nosuid", "nodev", "noexec"];

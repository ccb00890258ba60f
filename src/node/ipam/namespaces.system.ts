import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../../base/program/errors.ts";

/** The type that statfs(2) reports for the file system of namespaces. */
const nsfs = 0x6e736673;

/**
 * Whether a path is a namespace. A path that cannot be judged, such as one in a directory that is not
 * mounted here, counts as one.
 */
export function hasNamespace(path: string): boolean {
  try {
    return statfsSync(path).type === nsfs;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!["ENOENT", "ENOTDIR", "ESRCH"].includes(code)) return true;
    return !existsSync(dirname(path)) && !path.startsWith("/proc/");
  }
}

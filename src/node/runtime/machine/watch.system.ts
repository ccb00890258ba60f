import { type FSWatcher, watch } from "node:fs";
import { systemCode } from "../../../base/program/errors.ts";

/**
 * Calls back with the name of whatever changes in a directory. Returns undefined when it cannot be watched,
 * since the machine has no watches left or the directory does not exist yet; callers must also poll now and
 * then.
 */
export function tryToWatch(
  directory: string,
  onChange: (name: string | null) => void,
): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => onChange(name));
    return watcher.on("error", () => watcher.close());
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (["ENOENT", "ENOSPC", "EMFILE"].includes(code)) return undefined;
    throw error;
  }
}

import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";
import type { PluginPath, PluginProgram } from "./plugins.ts";

/** Returns a path that finds the first program of a name in the given directories. */
export function systemPluginPath(directories: readonly string[]): PluginPath {
  return {
    directories,
    async find(type) {
      for (const directory of directories) {
        const path = join(directory, type);
        const program = await programAt(path);
        if (program !== undefined) return program;
      }
      return undefined;
    },
  };
}

async function programAt(path: string): Promise<PluginProgram | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    await access(path, constants.X_OK);
    return { path, changed: found.mtimeMs };
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemFiles } from "../../../base/host/files.system.ts";
import { systemCode } from "../../../base/program/errors.ts";
import { removeWritten } from "../../runtime/runtime.ts";
import type { VolumeDirectories } from "./directory-volumes.ts";
import { giveToGroup } from "./group.system.ts";

export const systemVolumeDirectories: VolumeDirectories = {
  list: (folder) => systemFiles.list(folder),
  async make(folder, { name, group }) {
    const path = join(folder, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (await isMade(path)) await chmod(path, 0o777);
    if (group !== undefined) {
      await giveToGroup(path, group);
      await chmod(path, 0o2777);
    }
    return path;
  },
  remove: removeWritten,
};

/** Makes a directory; resolves to whether it was not there. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

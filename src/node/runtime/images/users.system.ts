import { readdir, readFile } from "node:fs/promises";
import { systemCode } from "../../../base/program/errors.ts";

/** Returns the pid of a process that has an overlay on this directory mounted, in any mount namespace. */
export async function userOf(directory: string): Promise<number | undefined> {
  // Containers with a user namespace have the directory bind-mounted at /mnt/lower; the kernel shows its path
  // within its file system.
  const shown = `/${directory.split("/").slice(-3).join("/")} /mnt/lower `;
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const mounts = await mountsOf(pid);
    if (mounts.includes(`lowerdir=${directory},`) || mounts.includes(shown)) return pid;
  }
  return undefined;
}

/** Returns a process's mountinfo; "" for processes that are gone or not ours. */
async function mountsOf(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/mountinfo`, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EINVAL") return "";
    throw error;
  }
}

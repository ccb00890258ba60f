import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OciDevice } from "./oci.ts";

/** Returns all devices of the machine, for privileged containers. */
export async function machineDevices(directory = "/dev"): Promise<readonly OciDevice[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = entries.map(async (entry): Promise<readonly OciDevice[]> => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return containersOwn.includes(path) ? [] : machineDevices(path);
    if (!entry.isCharacterDevice() && !entry.isBlockDevice()) return [];
    return [deviceOf(path, await stat(path))];
  });
  return (await Promise.all(found)).flat();
}

const containersOwn = ["/dev/pts", "/dev/shm", "/dev/mqueue"];

function deviceOf(path: string, { rdev, mode, uid, gid }: Stats): OciDevice {
  return {
    path,
    type: (mode & 0o170000) === 0o060000 ? "b" : "c",
    // The device number has the major number in bits 8 to 19, the minor number in bits 0 to 7 and 20 to 31.
    major: (rdev >>> 8) & 0xfff,
    minor: (rdev & 0xff) | ((rdev >>> 12) & 0xfff00),
    fileMode: mode & 0o777,
    uid,
    gid,
  };
}

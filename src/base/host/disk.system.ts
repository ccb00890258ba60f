import { statfs } from "node:fs/promises";
import type { ReadDisk } from "./disk.ts";

export const readSystemDisk: ReadDisk = async (directory) => {
  const disk = await statfs(directory);
  return {
    capacityBytes: disk.blocks * disk.bsize,
    availableBytes: disk.bavail * disk.bsize,
    inodes: disk.files,
    inodesFree: disk.ffree,
  };
};

// Reads files of an image, whose content its author chose and which is therefore not trusted.
import { constants, lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";
import { ContainerError } from "../error.ts";

const mostBytes = 1024 * 1024;
const mostLinks = 40;

/**
 * Reads a file of an image; returns "" when there is none. FIFOs, devices and files of megabytes are refused,
 * since reading them might never end. Symbolic links are resolved within the image. The image's tree is never
 * written to, so that a checked path stays valid.
 */
export async function readImageFile(root: string, path: string): Promise<string> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(await placeInside(root, path), flags);
    try {
      const stats = await file.stat();
      if (stats.isFile() && stats.size <= mostBytes) return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return "";
    if (!["ENXIO", "ENODEV", "EACCES", "EPERM"].includes(code)) throw error;
  }
  const state = `it is no file of at most ${mostBytes} bytes`;
  throw new ContainerError(`Cannot use the image's /${path}: ${state}`, { reason: "failed" });
}

async function placeInside(root: string, path: string): Promise<string> {
  const ahead = path.split("/");
  let place: string[] = [];
  let links = 0;
  for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      place.pop();
      continue;
    }
    const next = join(root, ...place, part);
    if (!(await lstat(next)).isSymbolicLink() || links++ > mostLinks) {
      place.push(part);
      continue;
    }
    const target = await readlink(next);
    if (target.startsWith("/")) place = [];
    ahead.unshift(...target.split("/"));
  }
  return join(root, ...place);
}

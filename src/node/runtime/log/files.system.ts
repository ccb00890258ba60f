// The files of a log: PATH, and the rotated ones PATH.1 (the newest), PATH.2, …
import { constants, type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";

/** A position in a log file, which keeps its inode when it is rotated. */
export interface LogPlace {
  readonly handle: FileHandle;
  readonly inode: number;
  offset: number;
}

/** Returns the paths of a log's files, oldest first. */
export async function logFiles(path: string): Promise<string[]> {
  const directory = dirname(path);
  const name = basename(path);
  const names = (await unlessMissing(readdir(directory))) ?? [];
  return names
    .filter((other) => other === name || /^\.\d+$/.test(suffix(other, name)))
    .toSorted((a, b) => Number(suffix(b, name).slice(1)) - Number(suffix(a, name).slice(1)))
    .map((other) => join(directory, other));
}

/** Opens a log file; returns undefined when it has disappeared meanwhile. */
export async function openLogFile(path: string): Promise<LogPlace | undefined> {
  // Symbolic links are not followed: whoever may write in the log directory could have any file read.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await unlessMissing(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  return handle && { handle, inode: (await handle.stat()).ino, offset: 0 };
}

export async function inodeOf(path: string): Promise<number | undefined> {
  return (await unlessMissing(stat(path)))?.ino;
}

function suffix(other: string, name: string): string {
  return other.startsWith(name) ? other.slice(name.length) : "";
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ELOOP") return undefined;
    throw error;
  }
}

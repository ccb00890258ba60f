import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../program/errors.ts";
import { HostError } from "./error.ts";
import type { Files, WriteOptions } from "./files.ts";

export const systemFiles: Files = {
  read: readIfExists,
  write: writeAtomically,
  remove: (path) => rm(path, { force: true }),
  list: listIfExists,
  makePrivateDirectory,
  removeUnfinishedWrites,
};

export async function readIfExists(path: string): Promise<string | undefined> {
  return unlessMissing(readFile(path, "utf8"), undefined);
}

async function listIfExists(directory: string): Promise<readonly string[]> {
  return (await unlessMissing(readdir(directory), [])).toSorted();
}

async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const directory = dirname(path);
  const unfinished = join(directory, `.${basename(path)}.${randomUUID()}.unfinished`);
  try {
    await writeDurably(unfinished, content, options.mode ?? 0o644);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await sync(directory);
}

async function writeDurably(path: string, content: string | Uint8Array, mode: number) {
  const file = await open(path, "wx", 0o600);
  try {
    await file.chmod(mode);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sync(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) {
    const state = found.isDirectory() ? `it belongs to user ${found.uid}` : "it is no directory";
    throw new HostError(`Cannot keep ${path} private: ${state}`, { reason: "not-permitted" });
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}

async function removeUnfinishedWrites(directory: string): Promise<void> {
  for (const name of await listIfExists(directory)) {
    if (/^\..+\.[0-9a-f-]{36}\.unfinished$/.test(name)) await rm(join(directory, name));
  }
}

async function unlessMissing<T>(found: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return otherwise;
    throw error;
  }
}

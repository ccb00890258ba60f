// Files that change all at once: readers see the old ones or the new ones, never a mixture.
//
// The files are in a folder with a name of its own, `..data` points to it, and each file is reached
// through `..data`. A change makes a new folder and turns the pointer.

import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";
import { giveToGroup } from "./group.system.ts";
import type { Payload } from "./payload.ts";

const pointer = "..data";

/** Writes the files; returns false when they were up to date already. */
export async function putFiles(
  directory: string,
  payload: Payload,
  { group }: { readonly group?: number | undefined } = {},
): Promise<boolean> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  await chmod(directory, 0o755);
  const folder = `..${digestOf(payload, group)}`;
  const before = await targetOf(join(directory, pointer));
  if (before === folder) return false;
  await fill(join(directory, folder), payload, group);
  await pointTo(join(directory, pointer), folder);
  await linkNames(directory, payload);
  if (before !== undefined) await rm(join(directory, before), { recursive: true, force: true });
  return true;
}

/**
 * Returns a name for the folder made of its content, so that an unchanged one is recognized without reading
 * it.
 */
function digestOf(payload: Payload, group: number | undefined): string {
  const hash = createHash("sha256").update(`${group ?? ""}\n`);
  for (const [path, { content, mode }] of [...payload].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${path}\0${mode}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 32);
}

async function fill(directory: string, payload: Payload, group: number | undefined): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o755 });
  await chmod(directory, 0o755);
  for (const [path, { content, mode }] of payload) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, content, { mode: 0o600 });
    await giveToGroup(file, group);
    // The fsGroup must be able to read the file, whatever its mode says.
    await chmod(file, group === undefined ? mode : mode | 0o440);
  }
}

async function pointTo(path: string, target: string): Promise<void> {
  const next = `${path}_next`;
  await rm(next, { force: true });
  await symlink(target, next);
  await rename(next, path);
}

async function linkNames(directory: string, payload: Payload): Promise<void> {
  const wanted = new Set([...payload.keys()].map((path) => path.split("/")[0] ?? ""));
  for (const name of await readdir(directory)) {
    if (!name.startsWith("..") && !wanted.delete(name)) await rm(join(directory, name));
  }
  for (const name of wanted) await symlink(join(pointer, name), join(directory, name));
}

async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

import type { Stats } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import type { HostPathVolumeSource } from "../../../api/types/core.ts";
import { ConfigurationError } from "../environment/error.ts";

const kinds: Readonly<Record<string, { is: (stats: Stats) => boolean; name: string }>> = {
  Directory: { is: (stats) => stats.isDirectory(), name: "a directory" },
  File: { is: (stats) => stats.isFile(), name: "a file" },
  Socket: { is: (stats) => stats.isSocket(), name: "a socket" },
  CharDevice: { is: (stats) => stats.isCharacterDevice(), name: "a character device" },
  BlockDevice: { is: (stats) => stats.isBlockDevice(), name: "a block device" },
};

/** Checks that the path is what the volume says, and makes it where the volume says so. */
export async function prepareHostPath(
  { path, type = "" }: HostPathVolumeSource,
  field: string,
): Promise<string> {
  const isMade = type.endsWith("OrCreate");
  const kind = kinds[type.replace("OrCreate", "")];
  const found = await statIfExists(path);
  if (found === undefined && isMade) {
    if (type === "DirectoryOrCreate") await mkdir(path, { recursive: true, mode: 0o755 });
    else await (await open(path, "a", 0o644)).close();
    return path;
  }
  if (found === undefined) throw wrong(field, path, "it is not there");
  if (kind !== undefined && !kind.is(found)) throw wrong(field, path, `it is not ${kind.name}`);
  return path;
}

function wrong(field: string, path: string, state: string): ConfigurationError {
  return new ConfigurationError(`use ${field}.hostPath.path ${JSON.stringify(path)}`, state);
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

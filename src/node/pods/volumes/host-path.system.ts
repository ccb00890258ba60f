import type { Stats } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import type { HostPathVolumeSource } from "../../../api/types/core.ts";
import { systemCode } from "../../../base/program/errors.ts";
import type { MountKind } from "../../runtime/runtime.ts";
import { ConfigurationError } from "../environment/error.ts";

const kinds: Readonly<Record<MountKind, { is: (stats: Stats) => boolean; name: string }>> = {
  Directory: { is: (stats) => stats.isDirectory(), name: "a directory" },
  File: { is: (stats) => stats.isFile(), name: "a file" },
  Socket: { is: (stats) => stats.isSocket(), name: "a socket" },
  CharDevice: { is: (stats) => stats.isCharacterDevice(), name: "a character device" },
  BlockDevice: { is: (stats) => stats.isBlockDevice(), name: "a block device" },
};

interface HostPath {
  readonly path: string;
  readonly isOfHost: true;
  readonly kind?: MountKind;
}

/**
 * Checks that the path has the type that the volume states, and creates it where the type says so. The path
 * may be replaced before it is mounted, so its type is checked again then.
 */
export async function prepareHostPath(
  { path, type = "" }: HostPathVolumeSource,
  field: string,
): Promise<HostPath> {
  const isMade = type.endsWith("OrCreate");
  const name = type.replace("OrCreate", "");
  const wanted = isKind(name) ? { kind: name } : {};
  const kind = isKind(name) ? kinds[name] : undefined;
  const found = await statIfExists(path);
  if (found === undefined && isMade) {
    if (type === "DirectoryOrCreate") await mkdir(path, { recursive: true, mode: 0o755 });
    else await (await open(path, "a", 0o644)).close();
    return { path, isOfHost: true, ...wanted };
  }
  if (found === undefined) throw wrong(field, path, "it is not there");
  if (kind !== undefined && !kind.is(found)) throw wrong(field, path, `it is not ${kind.name}`);
  return { path, isOfHost: true, ...wanted };
}

function isKind(name: string): name is MountKind {
  return Object.hasOwn(kinds, name);
}

function wrong(field: string, path: string, state: string): ConfigurationError {
  return new ConfigurationError(`use ${field}.hostPath.path ${JSON.stringify(path)}`, state);
}

async function statIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

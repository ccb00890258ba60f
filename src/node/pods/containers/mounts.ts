// What a container sees of the pod's volumes and files.

import { chmod, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { VolumeMount } from "../../../api/types/core.ts";
import type { ContainerMount } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import { ConfigurationError } from "../environment/error.ts";
import { expand } from "../environment/expand.ts";
import type { PodFile } from "../sandbox/files.ts";
import type { PreparedVolume } from "../volumes/pod-volumes.ts";

interface MountSources {
  readonly volumeOf: (name: string) => PreparedVolume | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Unless the container mounts something of its own there. */
  readonly files: readonly PodFile[];
}

/** What is mounted inside of something else comes after it. */
export async function mountsOf(slot: Slot, sources: MountSources): Promise<ContainerMount[]> {
  const mounts: ContainerMount[] = [];
  for (const [index, mount] of (slot.container.volumeMounts ?? []).entries()) {
    mounts.push(await mountOf(mount, `spec.${slot.path}.volumeMounts[${index}]`, sources));
  }
  const taken = new Set(mounts.map(({ destination }) => destination));
  const files = sources.files.filter(({ destination }) => !taken.has(destination));
  return [...files, ...mounts].toSorted((a, b) => depth(a) - depth(b));
}

async function mountOf(
  mount: VolumeMount,
  field: string,
  { volumeOf, environment }: MountSources,
): Promise<ContainerMount> {
  const { name, mountPath, subPath = "", subPathExpr = "", readOnly = false } = mount;
  const volume = volumeOf(name);
  if (volume === undefined) {
    throw new ConfigurationError(`use ${field}`, `there is no volume ${JSON.stringify(name)}`);
  }
  const inside = subPathExpr === "" ? subPath : expand(subPathExpr, environment);
  return {
    source: inside === "" ? volume.path : await placeInside(volume, inside, field),
    destination: mountPath,
    readOnly: readOnly || volume.isReadOnly,
  };
}

/** Made when missing, where the volume can be written to. Links may not lead out of the volume. */
async function placeInside(volume: PreparedVolume, inside: string, field: string): Promise<string> {
  const wanted = join(volume.path, inside);
  const action = `use ${field}.subPath ${JSON.stringify(inside)}`;
  const root = await realpath(volume.path);
  const isBelow = (path: string) => path === root || path.startsWith(`${root}/`);
  if (!isBelow(join(root, inside)))
    throw new ConfigurationError(action, "it is outside of the volume");
  const existing = await realpathOf(wanted);
  if (existing === undefined && volume.isReadOnly) {
    throw new ConfigurationError(action, "it is not in the volume");
  }
  if (existing === undefined) await makeAlike(wanted, volume.path);
  const place = existing ?? (await realpath(wanted));
  if (isBelow(place)) return place;
  throw new ConfigurationError(action, "a link leads out of the volume");
}

/** Whoever may write to the volume may write to what is made in it. */
async function makeAlike(path: string, volume: string): Promise<void> {
  const { mode } = await stat(volume);
  const first = (await mkdir(path, { recursive: true })) ?? path;
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    await chmod(made, mode & 0o7777);
  }
}

async function realpathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function depth({ destination }: ContainerMount): number {
  return destination.split("/").filter(Boolean).length;
}

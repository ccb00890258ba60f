// The overlay that a container's root is: below what it was given, above what it changes.
import { chmod, chown, mkdir, stat } from "node:fs/promises";
import type { Identity } from "../machine/identity.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ImageRoot } from "../port.ts";

export interface Layer {
  readonly lower: string;
  readonly upper: string;
  readonly work: string;
}

export function layerOf({ directory }: ImageRoot, places: ContainerPlaces): Layer {
  return { lower: directory, ...places.layer("root") };
}

/**
 * The upper directory is what a container sees of the lower one itself, so it is made alike; `shift` is the first
 * of the container's users, where it has its own.
 */
export async function makeLayer({ lower, upper, work }: Layer, shift = 0): Promise<void> {
  const [{ mode, uid, gid }] = await Promise.all([
    stat(lower),
    mkdir(upper, { recursive: true }),
    mkdir(work, { recursive: true }),
  ]);
  await chmod(upper, mode & 0o7777);
  await chown(upper, uid + shift, gid + shift).catch((error: NodeJS.ErrnoException) => {
    // A user namespace may not have its owner.
    if (error.code !== "EPERM" && error.code !== "EINVAL") throw error;
  });
}

/**
 * Volatile: what a container changes goes with it, so nothing is synced to the disk, which would be done
 * for every overlay that is unmounted. In a user namespace only attributes may be used that any user may
 * set.
 */
export function overlayOptions(layer: Layer, { isRootless }: Identity): readonly string[] {
  const { lower, upper, work } = layer;
  const attributes = isRootless ? ["userxattr"] : [];
  const places = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
  return [...places, "volatile", ...attributes];
}

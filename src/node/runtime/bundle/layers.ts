// The overlay mount of a container's root: the image below, the container's changes above.
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
 * Makes the upper and work directories. The upper directory gets the mode and owner of the lower one, since
 * the container sees it as its root; `shift` is the first user id of the container's user namespace.
 */
export async function makeLayer({ lower, upper, work }: Layer, shift = 0): Promise<void> {
  const [{ mode, uid, gid }] = await Promise.all([
    stat(lower),
    mkdir(upper, { recursive: true }),
    mkdir(work, { recursive: true }),
  ]);
  await chmod(upper, mode & 0o7777);
  await chown(upper, uid + shift, gid + shift).catch((error: NodeJS.ErrnoException) => {
    // The owner may not be mapped in the user namespace that we run in.
    if (error.code !== "EPERM" && error.code !== "EINVAL") throw error;
  });
}

/**
 * Returns the mount options. `volatile` skips the sync at each unmount: changes are lost with the container
 * anyway. `userxattr` uses extended attributes that any user may set, as a user namespace requires.
 */
export function overlayOptions(layer: Layer, { isRootless }: Identity): readonly string[] {
  const { lower, upper, work } = layer;
  const attributes = isRootless ? ["userxattr"] : [];
  const places = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
  return [...places, "volatile", ...attributes];
}

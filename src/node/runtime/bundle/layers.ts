// The overlay mount of a container's root: the image below, the container's changes above.
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
 * Returns the mount options. `volatile` skips the sync at each unmount: changes are lost with the container
 * anyway. `userxattr` uses extended attributes that any user may set, as a user namespace requires.
 */
export function overlayOptions(layer: Layer, { isRootless }: Identity): readonly string[] {
  const { lower, upper, work } = layer;
  const attributes = isRootless ? ["userxattr"] : [];
  const places = [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
  return [...places, "volatile", ...attributes];
}

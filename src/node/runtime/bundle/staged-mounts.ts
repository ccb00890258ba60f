// Staged mounts. The volumes and files of a container are first mounted in a folder of the agent, by a helper
// that resolves paths by file descriptor; the runtime bind-mounts them from there. So another container that
// swaps symbolic links in a shared volume meanwhile has no effect.
import { join } from "node:path";
import { ContainerError } from "../error.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerMount, ContainerSpec, ImageRoot, MountKind } from "../port.ts";
import { type Layer, layerOf } from "./layers.ts";

export interface StagedMount extends ContainerMount {
  /** The path at which the runtime finds the mount. */
  readonly place: string;
  /** Whether the bind mount is nosuid and nodev. */
  readonly isPlain?: boolean;
}

/** The mounts that make up a container's file system, before the runtime sees it. */
export interface Stage {
  readonly root: string;
  readonly layer: Layer;
  readonly ofImage: readonly StagedMount[];
  readonly given: readonly StagedMount[];
}

/**
 * The staging folder for containers with a user namespace, where the runtime may not enter the agent's
 * folders: a tmpfs at a path that every machine has, visible to conmon and its children only.
 */
const openPlace = "/mnt";

export function stageOf(
  { users, mounts }: Pick<ContainerSpec, "users" | "mounts">,
  image: ImageRoot,
  places: ContainerPlaces,
): Stage {
  const isOpen = users !== undefined;
  const folder = isOpen ? openPlace : places.mounts;
  const place = (index: number) => join(folder, `${index}`);
  const own = layerOf(image, places);
  const count = image.mounts.length;
  return {
    root: isOpen ? join(openPlace, "rootfs") : places.root,
    // The upper directory is not id-mapped: changes are stored with the machine's user ids, since an overlay
    // cannot translate them.
    layer: isOpen ? { ...own, lower: join(openPlace, "lower") } : own,
    ofImage: image.mounts.map((mount, index) => ({ ...mount, isPlain: true, place: place(index) })),
    given: mounts.map((mount, index) => ({ ...mount, place: place(count + index) })),
  };
}

/** Returns the helper's arguments. */
export function stageWords(
  spec: Pick<ContainerSpec, "users" | "namespaces">,
  { stage, image, overlay }: StageOptions,
): readonly string[] {
  const { user } = spec.namespaces;
  const mounted = ["overlay", overlay, stage.root, ...bindWords(stage)];
  if (spec.users === undefined || user === undefined) return mounted;
  const ofImage = ["layer", image.directory, stage.layer.lower];
  return ["users", user, "stage", openPlace, ...ofImage, ...mounted];
}

interface StageOptions {
  readonly stage: Stage;
  readonly image: ImageRoot;
  /** The mount options of the overlay that becomes the root. */
  readonly overlay: string;
}

function bindWords({ ofImage, given }: Stage): readonly string[] {
  return [...ofImage, ...given].flatMap((mount) => {
    const { source, inside = "", place } = mount;
    return ["bind", source, inside, flagsOf(mount), place];
  });
}

/**
 * Returns the error for the mount that the helper refused, or undefined when it failed for another reason.
 */
export function mountRefusal(
  complaints: string,
  { ofImage, given }: Stage,
): ContainerError | undefined {
  const mounts: readonly ContainerMount[] = [...ofImage, ...given];
  const [, index, state] = /^mount (\d+): (.+)$/m.exec(complaints) ?? [];
  const mount = index === undefined ? undefined : mounts[Number(index)];
  if (mount === undefined) return undefined;
  const what = mount.field ?? `mount ${JSON.stringify(mount.destination)}`;
  return new ContainerError(`Cannot use ${what}: ${state}`, { reason: "not-mountable" });
}

const kindFlags: Readonly<Record<MountKind, string>> = {
  Directory: "d",
  File: "f",
  Socket: "s",
  CharDevice: "c",
  BlockDevice: "b",
};

/** Encodes the options as one letter each, after a hyphen that keeps the argument from being empty. */
function flagsOf(mount: ContainerMount): string {
  const { isOwn = false, isMade = false, isReadOnlyThroughout = false, kind } = mount;
  return [
    "-",
    isOwn ? "o" : "",
    isMade ? "m" : "",
    isReadOnlyThroughout ? "r" : "",
    kind === undefined ? "" : kindFlags[kind],
  ].join("");
}

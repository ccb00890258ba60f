// What a pod gives a container is first mounted in a folder of the agent's, by the helper that resolves
// paths by file descriptor; the runtime mounts it from there. Another container that changes links
// meanwhile changes nothing any more.
import { join } from "node:path";
import { ContainerError } from "../error.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerMount, ContainerSpec, ImageRoot, MountKind } from "../port.ts";
import { type Layer, layerOf } from "./layers.ts";

export interface StagedMount extends ContainerMount {
  /** Where the runtime finds it. */
  readonly place: string;
  /** Its programs give nobody other rights, and its devices are none. */
  readonly isPlain?: boolean;
}

/** How a container's file system is put together, before the runtime sees it. */
export interface Stage {
  readonly root: string;
  readonly layer: Layer;
  readonly ofImage: readonly StagedMount[];
  readonly given: readonly StagedMount[];
}

/**
 * In a user namespace the runtime may not enter the agent's folders. So there is an empty one that it may, on a
 * place that every machine has; only conmon and what it starts see it.
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
    // Changes are kept with the numbers of the machine's users: an overlay cannot translate them.
    layer: isOpen ? { ...own, lower: join(openPlace, "lower") } : own,
    ofImage: image.mounts.map((mount, index) => ({ ...mount, isPlain: true, place: place(index) })),
    given: mounts.map((mount, index) => ({ ...mount, place: place(count + index) })),
  };
}

/** The helper's orders. */
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
  /** The options of the overlay that becomes the root. */
  readonly overlay: string;
}

function bindWords({ ofImage, given }: Stage): readonly string[] {
  return [...ofImage, ...given].flatMap((mount) => {
    const { source, inside = "", place } = mount;
    return ["bind", source, inside, flagsOf(mount), place];
  });
}

/** Why the helper mounted nothing, by the mount that it complains of; nothing when that is not why. */
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

/** One letter each; a word of the helper's is never empty where it needs not be. */
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

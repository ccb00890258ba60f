// What a pod gives a container is first mounted in a folder of the agent's, by the helper that resolves
// paths by file descriptor; the runtime mounts it from there. Another container that changes links
// meanwhile changes nothing any more.
import { join } from "node:path";
import { ContainerError } from "../error.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerMount, MountKind } from "../port.ts";

export interface StagedMount extends ContainerMount {
  /** Where the runtime finds it. */
  readonly place: string;
}

export function stagedMounts(
  mounts: readonly ContainerMount[],
  places: Pick<ContainerPlaces, "mounts">,
): readonly StagedMount[] {
  return mounts.map((mount, index) => ({ ...mount, place: join(places.mounts, `${index}`) }));
}

/** The helper's orders. */
export function bindWords(mounts: readonly StagedMount[]): readonly string[] {
  return mounts.flatMap((mount) => {
    const { source, inside = "", place } = mount;
    return ["bind", source, inside, flagsOf(mount), place];
  });
}

/** Why the helper mounted nothing, by the mount that it complains of; nothing when that is not why. */
export function mountRefusal(
  complaints: string,
  mounts: readonly ContainerMount[],
): ContainerError | undefined {
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
function flagsOf({ isOwn = false, isMade = false, kind }: ContainerMount): string {
  return ["-", isOwn ? "o" : "", isMade ? "m" : "", kind === undefined ? "" : kindFlags[kind]].join(
    "",
  );
}

// What a container sees of the pod's volumes and files.

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
export function mountsOf(slot: Slot, sources: MountSources): ContainerMount[] {
  const mounts = (slot.container.volumeMounts ?? []).map((mount, index) =>
    mountOf(mount, `spec.${slot.path}.volumeMounts[${index}]`, sources),
  );
  const taken = new Set(mounts.map(({ destination }) => destination));
  const files = sources.files.filter(({ destination }) => !taken.has(destination));
  const own = files.map((file) => ({ ...file, isOwn: true }));
  return [...own, ...mounts].toSorted((a, b) => depth(a) - depth(b));
}

/**
 * What is inside of the volume is not looked at here: containers that share it may change it at any time.
 * Who mounts it sees to it that links do not lead out of the volume.
 */
function mountOf(
  mount: VolumeMount,
  field: string,
  { volumeOf, environment }: MountSources,
): ContainerMount {
  const { name, mountPath, subPath = "", subPathExpr = "", readOnly = false } = mount;
  const { recursiveReadOnly = "Disabled" } = mount;
  const volume = volumeOf(name);
  if (volume === undefined) {
    throw new ConfigurationError(`use ${field}`, `there is no volume ${JSON.stringify(name)}`);
  }
  const { path, isReadOnly, isOfHost = false, kind } = volume;
  const base = {
    source: path,
    destination: mountPath,
    readOnly: readOnly || isReadOnly,
    ...(recursiveReadOnly === "Disabled" ? {} : { isReadOnlyThroughout: true }),
    isOwn: !isOfHost,
    field,
    ...(kind === undefined ? {} : { kind }),
  };
  const inside = subPathExpr === "" ? subPath : expand(subPathExpr, environment);
  if (inside === "") return base;
  const place = `${field}.subPath ${JSON.stringify(inside)}`;
  if (inside.startsWith("/") || inside.split("/").includes("..")) {
    throw new ConfigurationError(`use ${place}`, "it is outside of the volume");
  }
  // Made when missing, where the volume can be written to.
  return { ...base, inside, isMade: !isReadOnly, field: place };
}

function depth({ destination }: ContainerMount): number {
  return destination.split("/").filter(Boolean).length;
}

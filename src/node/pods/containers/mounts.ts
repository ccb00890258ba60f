// The mounts of a container: the pod's volumes and files.

import type { VolumeMount } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import type { ContainerMount } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import { ConfigurationError } from "../environment/error.ts";
import { expand, referencesIn } from "../environment/expand.ts";
import type { PodFile } from "../sandbox/files.system.ts";
import type { PreparedVolume } from "../volumes/prepared-volume.ts";

interface MountSources {
  readonly volumeOf: (name: string) => PreparedVolume | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** The files of the pod, mounted unless the container mounts a volume at the same path. */
  readonly files: readonly PodFile[];
}

/** Returns the mounts ordered by depth: a mount below another comes after it. */
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
 * Resolves one volume mount. The volume's content is not checked here, since containers that share it may
 * change it at any time: the program that mounts makes sure that symbolic links do not lead out of the
 * volume.
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
  const { path, isReadOnly, isOfHost = false, isInert = false, kind } = volume;
  const base = {
    source: path,
    destination: mountPath,
    readOnly: readOnly || isReadOnly,
    ...(recursiveReadOnly === "Disabled" ? {} : { isReadOnlyThroughout: true }),
    isOwn: !isOfHost,
    ...(isInert ? { isInert } : {}),
    field,
    ...defined({ kind }),
  };
  const inside =
    subPathExpr === "" ? subPath : expandWhole(subPathExpr, environment, `${field}.subPathExpr`);
  if (inside === "") return base;
  const place = `${field}.subPath ${JSON.stringify(inside)}`;
  if (inside.startsWith("/") || inside.split("/").includes("..")) {
    throw new ConfigurationError(`use ${place}`, "it is outside of the volume");
  }
  // A missing subPath is created where the volume is writable.
  return { ...base, inside, isMade: !isReadOnly, field: place };
}

/** Expands a text all of whose variables must be known. */
function expandWhole(
  text: string,
  variables: Readonly<Record<string, string>>,
  field: string,
): string {
  const unknown = referencesIn(text).find((name) => !Object.hasOwn(variables, name));
  if (unknown === undefined) return expand(text, variables);
  const state = `variable ${JSON.stringify(unknown)} is not defined`;
  throw new ConfigurationError(`expand ${field} ${JSON.stringify(text)}`, state);
}

function depth({ destination }: ContainerMount): number {
  return destination.split("/").filter(Boolean).length;
}

// Writes a container's bundle before its start.
import { mkdir, writeFile } from "node:fs/promises";
import type { Identity } from "../machine/identity.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerSpec, ImageRoot, UserRange } from "../port.ts";
import { ociConfig } from "./config.ts";
import { machineDevices } from "./devices.ts";
import { keptFlags } from "./flags.ts";
import { readImageFile } from "./image-files.ts";
import { layerOf, makeLayer, overlayOptions } from "./layers.ts";
import { type Stage, stageOf, stageWords } from "./staged-mounts.ts";
import { type Accounts, resolveUser } from "./user.ts";

export interface BundleOptions {
  readonly spec: ContainerSpec;
  readonly image: ImageRoot;
  readonly identity: Identity;
  readonly cgroup?: string | undefined;
}

export interface Bundle {
  readonly stage: Stage;
  /** The helper's arguments, by which it mounts the container's file system. */
  readonly words: readonly string[];
}

export async function writeBundle(
  places: ContainerPlaces,
  { spec, image, identity, cgroup }: BundleOptions,
): Promise<Bundle> {
  const stage = stageOf(spec, image, places);
  const accounts = await readAccounts(image.directory);
  const known = spec.users === undefined ? identity : usersOf(spec.users, identity);
  const config = ociConfig({
    ...stage,
    spec,
    image,
    identity,
    user: resolveUser(spec.user ?? {}, { ofImage: image.config.user, accounts, identity: known }),
    keptFlags: identity.isRootless ? await keptFlags([...image.mounts, ...spec.mounts]) : new Map(),
    devices: spec.security?.privileged === true ? await machineDevices() : [],
    ...(cgroup !== undefined && { cgroup }),
  });
  await Promise.all([
    mkdir(places.root),
    mkdir(places.mounts, { mode: 0o700 }),
    makeLayer(layerOf(image, places), spec.users?.first),
  ]);
  await writeFile(places.config, JSON.stringify(config), { mode: 0o600 });
  const overlay = overlayOptions(stage.layer, identity).join(",");
  return { stage, words: stageWords(spec, { stage, image, overlay }) };
}

/** Returns the identity within a pod's user namespace, whose ids go from 0 to the range's count. */
function usersOf({ count }: UserRange, identity: Identity): Identity {
  return { ...identity, hasUser: (uid) => uid < count, hasGroup: (gid) => gid < count };
}

async function readAccounts(root: string): Promise<Accounts> {
  return {
    passwd: await readImageFile(root, "etc/passwd"),
    group: await readImageFile(root, "etc/group"),
  };
}

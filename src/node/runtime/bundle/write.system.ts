// Writes a container's bundle before its start.

import type { Stats } from "node:fs";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../../../base/json/defined.ts";
import type { Identity } from "../machine/identity.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerSpec, ImageRoot, UserRange } from "../port.ts";
import { ociConfig } from "./config.ts";
import { keptFlags } from "./flags.system.ts";
import { readImageFile } from "./image-files.system.ts";
import { makeLayer } from "./layers.system.ts";
import { layerOf, overlayOptions } from "./layers.ts";
import type { OciDevice } from "./oci.ts";
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
    ...defined({ cgroup }),
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

/** Returns all devices of the machine, for privileged containers. */
async function machineDevices(directory = "/dev"): Promise<readonly OciDevice[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = entries.map(async (entry): Promise<readonly OciDevice[]> => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return containersOwn.includes(path) ? [] : machineDevices(path);
    if (!entry.isCharacterDevice() && !entry.isBlockDevice()) return [];
    return [deviceOf(path, await stat(path))];
  });
  return (await Promise.all(found)).flat();
}

const containersOwn = ["/dev/pts", "/dev/shm", "/dev/mqueue"];

function deviceOf(path: string, { rdev, mode, uid, gid }: Stats): OciDevice {
  return {
    path,
    type: (mode & 0o170000) === 0o060000 ? "b" : "c",
    // The device number has the major number in bits 8 to 19, the minor number in bits 0 to 7 and 20 to 31.
    major: (rdev >>> 8) & 0xfff,
    minor: (rdev & 0xff) | ((rdev >>> 12) & 0xfff00),
    fileMode: mode & 0o777,
    uid,
    gid,
  };
}

// A container's directory, before it is started.
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Identity } from "../machine/identity.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerSpec, ImageRoot } from "../port.ts";
import { ociConfig } from "./config.ts";
import { machineDevices } from "./devices.ts";
import { keptFlags } from "./flags.ts";
import { layerOf, makeLayer, overlayOptions } from "./layers.ts";
import { stagedMounts } from "./staged-mounts.ts";
import { type Accounts, resolveUser } from "./user.ts";

export interface BundleOptions {
  readonly spec: ContainerSpec;
  readonly image: ImageRoot;
  readonly identity: Identity;
  readonly cgroup?: string | undefined;
}

/** The options of the overlay that becomes the container's root. */
export async function writeBundle(
  places: ContainerPlaces,
  { spec, image, identity, cgroup }: BundleOptions,
): Promise<string> {
  const root = layerOf(image, places);
  const accounts = await readAccounts(image.directory);
  const config = ociConfig({
    spec,
    image,
    identity,
    user: resolveUser(spec.user ?? {}, { ofImage: image.config.user, accounts, identity }),
    given: stagedMounts(spec.mounts, places),
    keptFlags: identity.isRootless ? await keptFlags([...image.mounts, ...spec.mounts]) : new Map(),
    devices: spec.security?.privileged === true ? await machineDevices() : [],
    ...(cgroup !== undefined && { cgroup }),
  });
  await Promise.all([mkdir(places.root), mkdir(places.mounts, { mode: 0o700 }), makeLayer(root)]);
  await writeFile(places.config, JSON.stringify(config), { mode: 0o600 });
  return overlayOptions(root, identity).join(",");
}

async function readAccounts(root: string): Promise<Accounts> {
  return {
    passwd: await readInside(root, "etc/passwd"),
    group: await readInside(root, "etc/group"),
  };
}

/** Empty when there is none; links of an image must not lead out of it. */
async function readInside(root: string, name: string): Promise<string> {
  try {
    const path = await realpath(join(root, name));
    return path.startsWith(root) ? await readFile(path, "utf8") : "";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return "";
    throw error;
  }
}

// A container's directory, before it is started.
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Identity } from "../machine/identity.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerSpec, ImageRoot } from "../port.ts";
import { ociConfig } from "./config.ts";
import { machineDevices } from "./devices.ts";
import { keptFlags } from "./flags.ts";
import type { OciMount } from "./oci.ts";
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
  const layers = ["root", ...image.overlays.map(layerName)].map((name) => places.layer(name));
  const accounts = await readAccounts(image.overlays.includes("/etc") ? "/" : image.directory);
  const config = ociConfig({
    spec,
    image,
    identity,
    user: resolveUser(spec.user ?? {}, { ofImage: image.config.user, accounts, identity }),
    overlays: image.overlays.map((directory) => overlayMount(directory, { places, identity })),
    keptFlags: identity.isRootless ? await keptFlags([...image.mounts, ...spec.mounts]) : new Map(),
    devices: spec.security?.privileged === true ? await machineDevices() : [],
    ...(cgroup !== undefined && { cgroup }),
  });
  await Promise.all(
    [places.root, ...layers.flatMap(({ upper, work }) => [upper, work])].map((path) =>
      mkdir(path, { recursive: true, mode: 0o755 }),
    ),
  );
  await writeFile(places.config, JSON.stringify(config), { mode: 0o600 });
  return overlayOptions(image.directory, { layer: places.layer("root"), identity }).join(",");
}

function overlayMount(
  directory: string,
  { places, identity }: { readonly places: ContainerPlaces; readonly identity: Identity },
): OciMount {
  const layer = places.layer(layerName(directory));
  return {
    destination: directory,
    type: "overlay",
    source: "overlay",
    options: overlayOptions(directory, { layer, identity }),
  };
}

function layerName(directory: string): string {
  return `of-${basename(directory)}`;
}

/** In a user namespace an overlay may only use attributes that any user may set. */
function overlayOptions(
  lower: string,
  {
    layer,
    identity,
  }: { readonly layer: ReturnType<ContainerPlaces["layer"]>; readonly identity: Identity },
): readonly string[] {
  const attributes = identity.isRootless ? ["userxattr"] : [];
  return [`lowerdir=${lower}`, `upperdir=${layer.upper}`, `workdir=${layer.work}`, ...attributes];
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

// The machine's own root file system, directory by directory: in a user namespace the kernel lays
// nothing over a directory that has mounts of others inside it, and the root always has.
import type { Dirent } from "node:fs";
import { chmod, mkdir, readdir, readFile, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerMount } from "../port.ts";
import { buildOnce } from "./build-once.ts";

export interface HostRoot {
  /** Has the links and empty directories of the machine's root. */
  readonly directory: string;
  readonly overlays: readonly string[];
  readonly mounts: readonly ContainerMount[];
}

export async function buildHostRoot(context: {
  readonly directory: string;
  readonly isRootless: boolean;
}): Promise<HostRoot> {
  const entries = await readdir("/", { withFileTypes: true });
  const busy = context.isRootless
    ? mountPoints(await readFile("/proc/self/mountinfo", "utf8"))
    : [];
  const shown = entries
    .filter((entry) => entry.isDirectory() && !empty.has(entry.name))
    .map((entry) => `/${entry.name}`);
  const hasMounts = (path: string): boolean => busy.some((point) => point.startsWith(`${path}/`));
  return {
    directory: await buildSkeleton(entries, context.directory),
    overlays: shown.filter((path) => !hasMounts(path)),
    mounts: shown
      .filter(hasMounts)
      .map((path) => ({ source: path, destination: path, readOnly: true })),
  };
}

/** Not the machine's: the kernel's, the container's own, and what belongs to people. */
const empty = new Map([
  ...["proc", "sys", "dev", "run", "mnt", "media", "boot", "home", "lost+found"].map(
    (name) => [name, 0o755] as const,
  ),
  ["root", 0o700] as const,
  ["tmp", 0o1777] as const,
]);

async function buildSkeleton(entries: readonly Dirent[], directory: string): Promise<string> {
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  const targets = await Promise.all(
    links.map(async (name) => ({ name, target: await readlink(`/${name}`) })),
  );
  return await buildOnce(
    { directory, kind: "host", made: [directories, targets] },
    async (root) => {
      for (const { name, target } of targets) await symlink(target, join(root, name));
      for (const name of directories) {
        await mkdir(join(root, name));
        await chmod(join(root, name), empty.get(name) ?? 0o755);
      }
    },
  );
}

function mountPoints(mountinfo: string): readonly string[] {
  return mountinfo.split("\n").flatMap((line) => line.split(" ")[4] ?? []);
}

// The root of the image `host`, with the machine's programs mounted read-only: the files of packages, and the
// few files of /etc that programs need. It contains nothing of the machine's users or of clusters, and no
// keys.
import type { Dirent } from "node:fs";
import {
  chmod,
  constants,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";
import type { ContainerMount } from "../port.ts";
import { buildOnce } from "./build-once.system.ts";

export interface HostRoot {
  readonly directory: string;
  readonly mounts: readonly ContainerMount[];
}

export async function buildHostRoot(context: { readonly directory: string }): Promise<HostRoot> {
  const entries = (await readdir("/", { withFileTypes: true })).filter(({ name }) =>
    programs.has(name),
  );
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `/${name}`);
  const shown = [...folders, ...(await present(settingFolders))];
  return {
    directory: await buildSkeleton({ entries, shown }, context.directory),
    mounts: shown.map((path) => ({ source: path, destination: path, readOnly: true })),
  };
}

/** The directories of programs and libraries; some are symbolic links to others on most machines. */
const programs = new Set(["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"]);

/** The folders of /etc that programs need and that contain only names, numbers and public certificates. */
const settingFolders = ["alternatives", "iproute2", "ld.so.conf.d", "ssl/certs", "terminfo"].map(
  (name) => `/etc/${name}`,
);

const settingFiles = [
  "bash.bashrc",
  "debian_version",
  "ethertypes",
  "gai.conf",
  "host.conf",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "localtime",
  "mime.types",
  "networks",
  "nginx/mime.types",
  "nsswitch.conf",
  "os-release",
  "profile",
  "protocols",
  "rpc",
  "services",
  "shells",
  "ssl/openssl.cnf",
  "timezone",
].map((name) => `/etc/${name}`);

/** The standard directories, which are empty in the image. */
const emptyFolders = [
  "boot dev etc home media mnt opt proc root run srv sys tmp var",
  "var/cache var/lib var/lib/misc var/lib/nginx var/local var/log var/log/nginx var/opt var/spool var/tmp",
].flatMap((line) => line.split(" "));
const modes: Readonly<Record<string, number>> = { root: 0o700, tmp: 0o1777, "var/tmp": 0o1777 };

const links = { "var/run": "/run", "var/lock": "/run/lock" };

interface Skeleton {
  readonly entries: readonly Dirent[];
  /** The paths that are mounted, for which mount points are made. */
  readonly shown: readonly string[];
}

async function buildSkeleton({ entries, shown }: Skeleton, directory: string): Promise<string> {
  const linked = await Promise.all(
    entries
      .filter((entry) => entry.isSymbolicLink())
      .map(async ({ name }) => [name, await readlink(`/${name}`)] as const),
  );
  const files = await present(settingFiles);
  const accounts = { passwd: await accountsOf("passwd"), group: await accountsOf("group") };
  const versions = await Promise.all(files.map(async (path) => (await stat(path)).mtimeMs));
  const made = [linked, shown, files, versions, accounts, emptyFolders];
  return await buildOnce({ directory, kind: "host", made }, async (root) => {
    for (const path of emptyFolders) {
      await mkdir(join(root, path), { recursive: true });
      await chmod(join(root, path), modes[path] ?? 0o755);
    }
    for (const path of shown) await mkdir(join(root, path), { recursive: true });
    for (const [name, target] of [...linked, ...Object.entries(links)]) {
      await symlink(target, join(root, name));
    }
    for (const path of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await copyFile(path, join(root, path), constants.COPYFILE_EXCL);
      await chmod(join(root, path), 0o644);
    }
    for (const [name, text] of Object.entries(accounts)) {
      await writeFile(join(root, "etc", name), text, { mode: 0o644 });
    }
  });
}

/** The ids of people's accounts: those of packages are below, and nobody is above. */
const people = { first: 1000, last: 60_000 };

/** Returns the accounts of packages; those of people are not disclosed. */
async function accountsOf(name: "passwd" | "group"): Promise<string> {
  const lines = (await readFile(`/etc/${name}`, "utf8")).split("\n").filter(Boolean);
  const isOfPackage = (id: number) => id < people.first || id > people.last;
  const kept = lines.filter((line) => isOfPackage(Number(line.split(":")[2])));
  return kept.map((line) => `${line}\n`).join("");
}

/** Returns the paths that exist and are readable by everybody on the machine. */
async function present(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(async (path) => [path, await isPublic(path)] as const));
  return found.filter(([, isThere]) => isThere).map(([path]) => path);
}

async function isPublic(path: string): Promise<boolean> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      return (stats.isFile() || stats.isDirectory()) && (stats.mode & 0o004) !== 0;
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return false;
    throw error;
  }
}

// The files of Debian packages as a root, taken from where they are installed on this machine. A file that is not as its
// package brought it fails the build, since an image must not depend on the machine it was built on.

import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Commands } from "../../../src/base/host/command.ts";
import { CommandError } from "../../../src/base/host/error.ts";
import type { DebianPackage } from "./debian-packages.ts";

/** Files of /etc that programs need; others are configuration, of which the image has none. */
const settings = new Set(
  ["ethertypes", "netconfig", "protocols", "rpc", "services", "nginx/mime.types"].map(
    (name) => `/etc/${name}`,
  ),
);

/** What is for people, for building, and for starting services. Licences stay. */
const unwanted =
  /^\/usr\/(include|games|src|lib\/(systemd|tmpfiles\.d|sysusers\.d|udev|modprobe\.d|pkgconfig)|share\/(man|info|locale|lintian|bug|doc-base|bash-completion|zsh|vim|perl|perl5|pixmaps|i18n|dbus-1|snmp|gdb|debconf|common-licenses|base-files|menu|glib-2\.0))(\/|$)|\/gconv(\/|$)|^\/usr\/lib\/[^/]+\/perl5?(\/|$)/;

export function isWanted(path: string): boolean {
  if (path.startsWith("/usr/share/doc/")) return path.endsWith("/copyright");
  if (path.startsWith("/usr/")) return !unwanted.test(path);
  return settings.has(path);
}

export async function makeDebianRoot(
  target: string,
  packages: readonly DebianPackage[],
  commands: Commands,
): Promise<void> {
  const names = packages.map(({ name, architecture }) => `${name}:${architecture}`);
  const { stdout } = await commands.run(["dpkg-query", "--listfiles", ...names]);
  const paths = [...new Set(stdout.split("\n").map(realPath))].filter(isFile).toSorted();
  await refuseChanges(names, new Set(paths), commands);
  for (const path of ["proc", "sys", "dev", "run", "root", "var/lib", "var/log", "etc"])
    mkdirSync(join(target, path), { recursive: true });
  mkdirSync(join(target, "tmp"), { mode: 0o1777 });
  for (const name of ["bin", "sbin", "lib", "lib64"])
    symlinkSync(`usr/${name}`, join(target, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(target, "etc", name), text);
  await commands.run(
    [
      "sh",
      "-c",
      'set -o noglob; tar --create --directory=/ --no-recursion --verbatim-files-from --files-from=- | tar --extract --directory="$1"',
      "sh",
      target,
    ],
    { stdin: paths.map((path) => `${path.slice(1)}\n`).join("") },
  );
  writePackageList(target, packages);
}

/** Nobody but root and nobody: parts run as root of their container, since only root has capabilities there. */
const files = {
  passwd: "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n",
  group: "root:x:0:\nnogroup:x:65534:\n",
  "nsswitch.conf": "hosts: files dns\n",
};

/** The list of packages in the form that scanners of images read where no package manager is inside. */
function writePackageList(target: string, packages: readonly DebianPackage[]): void {
  const directory = join(target, "var/lib/dpkg/status.d");
  mkdirSync(directory, { recursive: true });
  for (const { name, version, architecture } of packages) {
    const lines = [
      `Package: ${name}`,
      "Status: install ok installed",
      `Version: ${version}`,
      `Architecture: ${architecture}`,
    ];
    writeFileSync(join(directory, name), `${lines.join("\n")}\n`);
  }
}

async function refuseChanges(
  names: readonly string[],
  taken: ReadonlySet<string>,
  commands: Commands,
): Promise<void> {
  const changed = (await verify(names, commands))
    .map((line) => realPath(line.replace(/^\S+\s+(?:c\s+)?/, "")))
    .filter((path) => taken.has(path));
  if (changed.length === 0) return;
  throw new Error(
    `Cannot build the image: ${changed.join(", ")} is not as its Debian package has it; reinstall that package`,
  );
}

/** Returns the lines of `dpkg --verify`, which fails where it has any. */
async function verify(names: readonly string[], commands: Commands): Promise<readonly string[]> {
  try {
    return (await commands.run(["dpkg", "--verify", ...names])).stdout.split("\n");
  } catch (error) {
    if (error instanceof CommandError && error.stdout !== "") return error.stdout.split("\n");
    throw error;
  }
}

/** Packages name files by ways that lead over links, such as /lib. */
function realPath(path: string): string {
  if (!path.startsWith("/") || path === "/.") return "";
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function isFile(path: string): boolean {
  if (path === "" || !isWanted(path)) return false;
  // Documents that this machine does not have are no loss.
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

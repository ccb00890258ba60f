// The Debian packages of the image: those that are named, and what they depend on, as this machine has them installed.

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** What it depends on: one of the names of each list. */
  readonly depends: readonly (readonly string[])[];
  readonly provides: readonly string[];
}

/** The format for `dpkg-query --show`, which `parseInstalled` reads. */
export const installedFormat =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own
  "${Package}\\t${Version}\\t${Architecture}\\t${Pre-Depends},${Depends}\\t${Provides}\\t${db:Status-Status}\\n";

/** Dependencies that are for scripts of installation and for people; no script runs in an image. */
const leftOut: ReadonlySet<string> = new Set([
  "adduser",
  "debconf",
  "debianutils",
  "dpkg",
  "init-system-helpers",
  "mawk",
  "passwd",
  // keepalived is linked with libperl for SNMP agents in Perl, which it does not have.
  "perl-modules-5.36",
  "perl-modules-5.40",
  "libcap2-bin",
  "libsnmp-base",
  "pci.ids",
  "sysvinit-utils",
  "tar",
  "usr-is-merged",
]);

/** Reads the names of a list such as tools/packages.txt. */
export function namesIn(list: string): readonly string[] {
  return list
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().split(/\s/, 1)[0] ?? "")
    .filter((name) => name !== "");
}

export function parseInstalled(text: string): readonly DebianPackage[] {
  return text.split("\n").flatMap((line) => {
    const [name = "", version = "", architecture = "", depends = "", provides = "", status] =
      line.split("\t");
    if (status !== "installed") return [];
    return [
      {
        name,
        version,
        architecture,
        depends: relationsIn(depends).map((each) => each.split("|").map(nameOf)),
        provides: relationsIn(provides).map(nameOf),
      },
    ];
  });
}

/** Returns the named packages and all they depend on, sorted by name. */
export function withDependencies(
  names: readonly string[],
  installed: readonly DebianPackage[],
): readonly DebianPackage[] {
  const byName = new Map(installed.map((each) => [each.name, each]));
  for (const each of installed) {
    for (const virtual of each.provides) if (!byName.has(virtual)) byName.set(virtual, each);
  }
  const found = new Set<DebianPackage>();
  const add = (alternatives: readonly string[], wantedBy: string): void => {
    if (alternatives.some((name) => leftOut.has(name))) return;
    const [one] = alternatives.flatMap((name) => byName.get(name) ?? []);
    if (one === undefined) {
      throw new Error(
        `Cannot put ${wantedBy} into the image: ${alternatives.join(" or ")} is not installed`,
      );
    }
    if (found.has(one)) return;
    found.add(one);
    for (const depends of one.depends) add(depends, one.name);
  };
  for (const name of names) add([name], name);
  return [...found].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function relationsIn(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** The name in `libc6:any (>= 2.34)`. */
function nameOf(relation: string): string {
  return /^[^\s:(]+/.exec(relation.trim())?.[0] ?? "";
}

// Tests as an ordinary user need a folder that others can enter, and root's home is none.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";

const script = `
  place=$(mktemp -d /var/tmp/tandem-XXXXXX) && chmod 755 "$place" || exit
  trap 'cd / && umount --lazy "$place" && rmdir "$place"' EXIT
  mount --bind "$PWD" "$place" && cd "$place" && "$@"
`;

/**
 * Runs the program again from a place that others can enter, and returns its exit code; undefined where
 * that is not needed. The place is there for it alone, in mounts of its own.
 */
export function runWhereOthersCan(command: readonly string[]): number | undefined {
  if (process.getuid?.() !== 0 || isOpen(process.cwd())) return undefined;
  console.log(`${process.cwd()} is closed to ordinary users: testing at another place`);
  const [program, ...args] = ["unshare", "--mount", "sh", "-c", script, "sh", ...command] as const;
  return spawnSync(program, args, { stdio: "inherit" }).status ?? 1;
}

function isOpen(directory: string): boolean {
  const mayEnter = (statSync(directory).mode & 0o001) !== 0;
  return mayEnter && (directory === "/" || isOpen(dirname(directory)));
}

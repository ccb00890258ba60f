// Directories on tmpfs.

import { chmod, mkdir, readFile, statfs } from "node:fs/promises";
import type { Commands } from "../../../base/host/command.ts";
import { parseMountinfo } from "../../../base/host/mountinfo.ts";

/** The type of tmpfs in statfs(2). */
const tmpfs = 0x01021994;

interface MemoryOptions {
  readonly mode: string;
  readonly bytes?: number | undefined;
}

/**
 * Mounts a tmpfs, unless something is mounted there already, or the directory is on a tmpfs anyway and needs
 * no size limit.
 */
export async function mountMemory(
  commands: Commands,
  directory: string,
  { mode, bytes }: MemoryOptions,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  if ((await mountsUnder(directory)).includes(directory)) return;
  if (bytes === undefined && (await statfs(directory)).type === tmpfs) {
    return chmod(directory, Number.parseInt(mode, 8));
  }
  const options = [`mode=${mode}`, ...(bytes === undefined ? [] : [`size=${bytes}`])].join(",");
  await commands.run(["mount", "-t", "tmpfs", "-o", options, "tandem", directory]);
}

/** Unmounts everything that is mounted at or below the directory. */
export async function unmountAll(commands: Commands, directory: string): Promise<void> {
  for (const path of (await mountsUnder(directory)).toReversed()) {
    await commands.run(["umount", "--lazy", path]);
  }
}

async function mountsUnder(directory: string): Promise<readonly string[]> {
  const paths = parseMountinfo(await readFile("/proc/self/mountinfo", "utf8")).map(
    ({ point }) => point,
  );
  return paths.filter((path) => path === directory || path.startsWith(`${directory}/`));
}

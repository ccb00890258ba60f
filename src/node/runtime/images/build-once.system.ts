import { createHash } from "node:crypto";
import { chmod, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";

interface Building {
  readonly directory: string;
  readonly kind: string;
  /** The inputs of the build: other inputs get another directory. */
  readonly made: unknown;
}

/** Builds a directory atomically, unless it was built before; returns its path. */
export async function buildOnce(
  { directory, kind, made }: Building,
  fill: (root: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(made)).digest("hex").slice(0, 16);
  const name = `${kind}-${hash}`;
  const path = join(directory, name);
  if ((await readdir(directory)).includes(name)) return path;
  const unfinished = await mkdtemp(join(directory, "unfinished-"));
  try {
    await chmod(unfinished, 0o755);
    await fill(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process built it meanwhile.
    const code = systemCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
  return path;
}

// Archives with the same bytes whoever makes them, and whenever: sorted names, one time, root as the owner.

import { createHash } from "node:crypto";
import { createReadStream, globSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Commands } from "../../src/base/host/command.ts";

/** How archives are compressed; "none" is for tests, which compare contents. */
export type Compression = "gzip" | "none";

export interface ArchiveOptions {
  readonly commands: Commands;
  readonly epoch: number;
  readonly compression: Compression;
}

/** Gives every file of a tree the same time and modes that do not depend on the umask. */
export async function normalize(tree: string, { commands, epoch }: ArchiveOptions): Promise<void> {
  await commands.run(["chmod", "-R", "u=rwX,go=rX", tree]);
  await commands.run(["find", tree, "-exec", "touch", "-h", "-d", `@${epoch}`, "{}", "+"]);
}

/** Packs a directory under its own name into `ARCHIVE.tar` or `ARCHIVE.tar.gz`; returns the path. */
export async function packTarball(
  { directory, name, out }: { directory: string; name: string; out: string },
  { commands, epoch, compression }: ArchiveOptions,
): Promise<string> {
  const path = join(out, `${name}.tar`);
  await commands.run([
    "tar",
    "--create",
    `--file=${path}`,
    `--directory=${directory}`,
    "--sort=name",
    "--format=gnu",
    "--owner=root:0",
    "--group=root:0",
    `--mtime=@${epoch}`,
    name,
  ]);
  if (compression === "none") return path;
  await commands.run(["gzip", "--no-name", "--force", path], { timeoutMs: packingMs });
  return `${path}.gz`;
}

export async function packDebian(
  { tree, path }: { tree: string; path: string },
  { commands, epoch, compression }: ArchiveOptions,
): Promise<void> {
  await commands.run(
    ["dpkg-deb", "--root-owner-group", `-Z${compression}`, "-z6", "--build", tree, path],
    { environment: { SOURCE_DATE_EPOCH: String(epoch) }, timeoutMs: packingMs },
  );
}

/** Writes the digests of the files of a folder in the form that `sha256sum --check` reads. */
export async function writeChecksums(out: string): Promise<void> {
  const files = globSync("tandem*", { cwd: out }).toSorted();
  const lines = await Promise.all(
    files.map(async (file) => `${await digestOf(join(out, file))}  ${basename(file)}\n`),
  );
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
}

export const packingMs = 600_000;

export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

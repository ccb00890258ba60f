// From a registry or an archive to a directory that containers can run on.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { ImageError } from "../error.ts";
import { identifyProcess } from "../machine/processes.ts";
import { type LaidOutImage, readLayout } from "./layout.ts";

export interface Transfer {
  /** As skopeo names it: `docker://…`, `docker-archive:…`. */
  readonly source: string;
  /** The file that the source speaks of, if it is one. */
  readonly archive?: string;
  /** How the error calls it. */
  readonly name: string;
  readonly isInsecure?: boolean;
  /** A file that skopeo logs in by. */
  readonly authFile?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Unpacking {
  /** Where `ID/rootfs` and `ID/config.json` come to be. */
  readonly trees: string;
  /** For what is not finished. */
  readonly workshop: string;
  readonly isRootless: boolean;
  readonly commands: Commands;
}

/** The name of an image's directory. */
export function treeName(id: string): string {
  return id.replace(":", "-");
}

/** What an archive is called while it is read: its own path may hold colons. */
export const archiveLink = "archive";

/** Changes whenever the image does. */
export async function inspectSource(transfer: Transfer, { commands }: Unpacking): Promise<string> {
  const { source, signal } = transfer;
  const { stdout } = await orExplain(transfer, () =>
    commands.run([...skopeo, "inspect", "--config", "--raw", ...access("--", transfer), source], {
      signal,
      timeoutMs: longestFetch,
    }),
  );
  return createHash("sha256").update(stdout).digest("hex");
}

/** Fetches an image and unpacks it, unless that was done before. */
export async function fetchImage(transfer: Transfer, place: Unpacking): Promise<LaidOutImage> {
  const { archive, source, signal } = transfer;
  const directory = await openBench(place.workshop);
  try {
    const layout = join(directory, "layout");
    if (archive !== undefined) await symlink(archive, join(directory, archiveLink));
    const copy = [`--tmpdir=${directory}`, "copy", "--quiet", "--remove-signatures"];
    return await orExplain(transfer, async () => {
      await place.commands.run(
        [...skopeo, ...copy, ...access("--src-", transfer), source, `oci:${layout}:image`],
        {
          signal,
          timeoutMs: longestFetch,
          cwd: directory,
        },
      );
      const image = await readLayout(layout);
      await unpack(image, { ...place, directory, signal });
      return image;
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Nobody else may read the file, and it is gone afterwards. */
export async function withAuthFile<T>(
  text: string,
  { workshop }: Unpacking,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const directory = await openBench(workshop);
  try {
    const path = join(directory, "auth.json");
    await writeFile(path, text, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const skopeo = ["skopeo", "--insecure-policy", "--override-os=linux"];

function access(prefix: string, { isInsecure = false, authFile }: Transfer): readonly string[] {
  return [
    ...(isInsecure ? [`${prefix}tls-verify=false`] : []),
    ...(authFile === undefined ? [] : [`${prefix}authfile=${authFile}`]),
  ];
}

async function orExplain<T>({ name, signal }: Transfer, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ImageError(`Cannot have image "${name}": ${wordsOf(error)}`, {
      reason: "not-had",
      cause: error,
    });
  }
}

const longestFetch = 15 * 60_000;

async function unpack(
  image: LaidOutImage,
  place: Unpacking & { readonly directory: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { directory, signal, commands } = place;
  const tree = join(place.trees, treeName(image.id));
  if ((await readdir(place.trees)).includes(treeName(image.id))) return;
  const unfinished = join(directory, "tree");
  await mkdir(unfinished, { mode: 0o755 });
  const rootless = place.isRootless ? ["--rootless"] : [];
  await commands.run(
    ["umoci", "raw", "unpack", ...rootless, "--image", "layout:image", join(unfinished, "rootfs")],
    { signal, timeoutMs: longestFetch, cwd: directory },
  );
  await writeFile(join(unfinished, "config.json"), JSON.stringify(image.config));
  try {
    await rename(unfinished, tree);
  } catch (error) {
    // Somebody else had the same image at the same time.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

/** A directory to work in. What processes that are gone left behind is swept up first. */
async function openBench(workshop: string): Promise<string> {
  for (const name of await readdir(workshop)) {
    if ((await identifyProcess(Number(name.split("-")[0]))) !== undefined) continue;
    await rm(join(workshop, name), { recursive: true, force: true });
  }
  return await mkdtemp(join(workshop, `${process.pid}-`));
}

/** skopeo and umoci say what happened in the last of their lines, behind `msg=` or a mark. */
function wordsOf(error: unknown): string {
  if (!(error instanceof CommandError) || error.stderr.trim() === "") return messageOf(error);
  const last = error.stderr.trim().split("\n").at(-1) ?? "";
  const [, quoted] = /msg=("(?:[^"\\]|\\.)*")/.exec(last) ?? [];
  const said = quoted === undefined ? last : (JSON.parse(quoted) as string);
  // The name is not what is wrong, whatever skopeo says.
  return said.replace(/^[\s⨯]+|^Error parsing image name "[^"]*": /g, "");
}

// Fetches images from a registry or an archive and unpacks them to directories for containers.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import { messageOf, systemCode } from "../../../base/program/errors.ts";
import { ImageError } from "../error.ts";
import { identifyProcess } from "../machine/processes.system.ts";
import { type LaidOutImage, readLayout } from "./layout.system.ts";

export interface Transfer {
  /** The source as skopeo names it: `docker://…`, `docker-archive:…`. */
  readonly source: string;
  /** The path of the archive, if the source is one. */
  readonly archive?: string;
  /** The image's name in error messages. */
  readonly name: string;
  readonly isInsecure?: boolean;
  /** The file with the login for skopeo. */
  readonly authFile?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Unpacking {
  /** The directory of unpacked images: `ID/rootfs` and `ID/config.json`. */
  readonly trees: string;
  /** The directory for unfinished work. */
  readonly workshop: string;
  readonly isRootless: boolean;
  readonly commands: Commands;
}

/** Returns the name of an image's directory. */
export function treeName(id: string): string {
  return id.replace(":", "-");
}

/** The name of the symbolic link to an archive, whose own path may contain colons. */
export const archiveLink = "archive";

/** Returns a version of the image that changes whenever the image does. */
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

/** Runs the work with an auth file that nobody else may read and that is removed afterwards. */
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
    // Another process unpacked the same image at the same time.
    const code = systemCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

/** Makes a directory to work in, after it has removed those of processes that are gone. */
async function openBench(workshop: string): Promise<string> {
  for (const name of await readdir(workshop)) {
    if ((await identifyProcess(Number(name.split("-")[0]))) !== undefined) continue;
    await rm(join(workshop, name), { recursive: true, force: true });
  }
  return await mkdtemp(join(workshop, `${process.pid}-`));
}

/** Returns the error message of skopeo or umoci: the last line of their output, behind `msg=` or a mark. */
function wordsOf(error: unknown): string {
  if (!(error instanceof CommandError) || error.stderr.trim() === "") return messageOf(error);
  const last = error.stderr.trim().split("\n").at(-1) ?? "";
  const [, quoted] = /msg=("(?:[^"\\]|\\.)*")/.exec(last) ?? [];
  const said = quoted === undefined ? last : (JSON.parse(quoted) as string);
  // skopeo's prefix blames the image name, which is not what is wrong.
  return said.replace(/^[\s⨯]+|^Error parsing image name "[^"]*": /g, "");
}

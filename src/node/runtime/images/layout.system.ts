// Reads images as skopeo writes them: directories in the OCI image layout.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImageConfig } from "../port.ts";

export interface LaidOutImage {
  /** The digest of the image's configuration. */
  readonly id: string;
  readonly bytes: number;
  readonly config: ImageConfig;
}

export async function readLayout(directory: string): Promise<LaidOutImage> {
  const index = await readJson<Index>(join(directory, "index.json"));
  const digest = index.manifests[0]?.digest ?? "";
  const manifest = await readJson<Manifest>(blobPath(directory, digest));
  const file = await readJson<ConfigFile>(blobPath(directory, manifest.config.digest));
  return {
    id: manifest.config.digest,
    bytes: [manifest.config, ...manifest.layers].reduce((sum, { size }) => sum + size, 0),
    config: configOf(file.config ?? {}),
  };
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface ConfigFile {
  readonly config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly Env?: readonly string[] | null;
    readonly User?: string;
    readonly WorkingDir?: string;
  };
}

function configOf(config: NonNullable<ConfigFile["config"]>): ImageConfig {
  return {
    entrypoint: config.Entrypoint ?? [],
    command: config.Cmd ?? [],
    environment: Object.fromEntries(
      (config.Env ?? []).map((line) => {
        const [name = "", ...value] = line.split("=");
        return [name, value.join("=")];
      }),
    ),
    user: config.User ?? "",
    workingDirectory: config.WorkingDir ?? "",
  };
}

/** Returns the path of a blob. The digest is checked, since it becomes part of file names here and later. */
function blobPath(directory: string, digest: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`Cannot read the image: its digest ${JSON.stringify(digest)} is none`);
  }
  return join(directory, "blobs", ...digest.split(":"));
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8")) as T;
}

// An image archive: a tar of an OCI layout that also has the manifest of `docker save`, so that every runtime's loader
// takes it.

import { createHash } from "node:crypto";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Commands } from "../../../src/base/host/command.ts";
import { type Compression, digestOf, packingMs } from "../archives.ts";

export interface ImageOptions {
  /** The name with its tag, such as `localhost/tandem:0.1.0`. */
  readonly name: string;
  readonly architecture: string;
  readonly created: Date;
  readonly version: string;
  readonly compression: Compression;
  readonly commands: Commands;
}

/** A layer: a directory with the contents, and the time that all of its files get. */
export interface Layer {
  readonly directory: string;
  readonly epoch: number;
  readonly createdBy: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Writes the archive; `stage` is an empty directory for what it consists of. */
export async function packImage(
  { layers, stage, path }: { layers: readonly Layer[]; stage: string; path: string },
  options: ImageOptions,
): Promise<void> {
  const { name, architecture, commands } = options;
  mkdirSync(join(stage, "blobs/sha256"), { recursive: true });
  const packed: PackedLayer[] = [];
  for (const layer of layers) packed.push(await packLayer(layer, stage, options));
  const config = putJson(stage, "application/vnd.oci.image.config.v1+json", {
    created: options.created.toISOString(),
    architecture,
    os: "linux",
    config: {
      Env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "XDG_CACHE_HOME=/tmp"],
      Entrypoint: ["/usr/bin/tandem"],
      Cmd: ["help"],
      WorkingDir: "/",
      Labels: labelsOf(options),
    },
    rootfs: { type: "layers", diff_ids: packed.map(({ contents }) => contents) },
    history: layers.map(({ createdBy }) => ({
      created: options.created.toISOString(),
      created_by: createdBy,
    })),
  });
  const manifest = putJson(stage, "application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config,
    layers: packed.map(({ descriptor }) => descriptor),
    annotations: labelsOf(options),
  });
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...manifest,
        platform: { architecture, os: "linux" },
        annotations: {
          "io.containerd.image.name": name,
          "org.opencontainers.image.ref.name": name,
        },
      },
    ],
  };
  const ofDocker = [
    {
      Config: blobPath(config.digest),
      RepoTags: [name],
      Layers: packed.map(({ descriptor }) => blobPath(descriptor.digest)),
    },
  ];
  writeFileSync(join(stage, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(stage, "index.json"), JSON.stringify(index));
  writeFileSync(join(stage, "manifest.json"), JSON.stringify(ofDocker));
  // Small files first, so that loaders find the names without reading the layers.
  const members = ["oci-layout", "index.json", "manifest.json", "blobs"];
  const epoch = options.created.getTime() / 1000;
  await pack({ directory: stage, path, epoch, members }, commands);
}

interface PackedLayer {
  readonly descriptor: Descriptor;
  /** The digest of the layer before it is compressed. */
  readonly contents: string;
}

async function packLayer(
  { directory, epoch }: Layer,
  stage: string,
  { compression, commands }: ImageOptions,
): Promise<PackedLayer> {
  const tar = join(stage, "layer.tar");
  await pack({ directory, path: tar, epoch, members: ["."] }, commands);
  const contents = `sha256:${await digestOf(tar)}`;
  if (compression === "gzip") {
    await commands.run(["gzip", "--no-name", tar], { timeoutMs: packingMs });
    renameSync(`${tar}.gz`, tar);
  }
  const digest = `sha256:${await digestOf(tar)}`;
  const { size } = statSync(tar);
  renameSync(tar, join(stage, blobPath(digest)));
  const suffix = compression === "gzip" ? "+gzip" : "";
  const mediaType = `application/vnd.oci.image.layer.v1.tar${suffix}`;
  return { descriptor: { mediaType, digest, size }, contents };
}

async function pack(
  {
    directory,
    path,
    epoch,
    members,
  }: { directory: string; path: string; epoch: number; members: readonly string[] },
  commands: Commands,
): Promise<void> {
  await commands.run(
    [
      "tar",
      "--create",
      `--file=${path}`,
      `--directory=${directory}`,
      "--sort=name",
      "--format=gnu",
      "--owner=root:0",
      "--group=root:0",
      "--numeric-owner",
      `--mtime=@${epoch}`,
      ...members,
    ],
    { timeoutMs: packingMs },
  );
}

function putJson(stage: string, mediaType: string, document: object): Descriptor {
  const text = JSON.stringify(document);
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  writeFileSync(join(stage, blobPath(digest)), text);
  return { mediaType, digest, size: Buffer.byteLength(text) };
}

function labelsOf({ version }: ImageOptions): Readonly<Record<string, string>> {
  return {
    "org.opencontainers.image.title": "tandem",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": "Apache-2.0",
  };
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

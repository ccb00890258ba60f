// Builds the packages of this architecture: a tarball that runs where it is unpacked, a Debian package, and an image.

import {
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { Commands } from "../../src/base/host/command.ts";
import { version } from "../../src/base/program/version.ts";
import {
  type ArchiveOptions,
  type Compression,
  normalize,
  packDebian,
  packTarball,
  writeChecksums,
} from "./archives.ts";
import { controlFiles, debianVersion } from "./debian.ts";
import { buildImage, imagePackages } from "./image/build-image.ts";
import { compiledInRuntime, formatBillOfMaterials, productionPackages } from "./locked-packages.ts";
import { makeProgramTree } from "./program-tree.ts";
import { type SharedFiles, sharedFiles, writeFiles } from "./shared-files.ts";

export interface DistOptions {
  readonly root: string;
  /** The directory for the packages, which exists. */
  readonly out: string;
  /** The time that all files get, in seconds since 1970. */
  readonly epoch: number;
  readonly compression: Compression;
  /** The kinds of packages to build; all when not given. */
  readonly kinds?: readonly ("tarball" | "debian" | "image")[];
  readonly commands: Commands;
}

export async function buildDist(options: DistOptions): Promise<void> {
  const stage = mkdtempSync(join(options.out, ".stage-"));
  try {
    await buildIn(stage, options);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

async function buildIn(stage: string, options: DistOptions): Promise<void> {
  const { root, out, epoch, commands } = options;
  const archive: ArchiveOptions = options;
  const architecture = debianArchitecture();
  const packages = productionPackages(root);
  const ours = [...packages, compiledInRuntime(root)];
  const bill = formatBillOfMaterials(ours, { version, epoch });
  const shared = await sharedFiles({ version, epoch }, bill);
  const name = `tandem-${version}-linux-${architecture}`;
  const program = join(stage, name);
  const { kinds = ["tarball", "debian", "image"] } = options;
  await makeProgramTree({ root, target: program, version, packages, commands });
  if (kinds.includes("tarball")) {
    writeFiles(join(program, "machine"), shared);
    await normalize(program, archive);
    await packTarball({ directory: stage, name, out }, archive);
    rmSync(join(program, "machine"), { recursive: true });
  }
  if (kinds.includes("image")) {
    const inside = await imagePackages(options);
    const imageBill = formatBillOfMaterials(ours, { version, epoch, debian: inside });
    writeFiles(out, new Map([[`tandem-${version}-image-${architecture}.cdx.json`, imageBill]]));
    const parts = { program, packages: inside, bill: imageBill, version, architecture };
    await buildImage({ ...parts, stage: join(stage, "image") }, options);
  }
  if (kinds.includes("debian")) {
    await packAsDebian({ stage, program, shared, architecture }, options);
  }
  writeFiles(out, new Map([[`tandem-${version}.cdx.json`, bill]]));
  await writeChecksums(out);
}

interface Staged {
  readonly stage: string;
  readonly program: string;
  readonly shared: SharedFiles;
  readonly architecture: string;
}

async function packAsDebian(staged: Staged, options: DistOptions): Promise<void> {
  const { stage, program, shared, architecture } = staged;
  const { root, out, commands } = options;
  const tree = join(stage, "debian");
  mkdirSync(join(tree, "usr/lib/cni"), { recursive: true });
  mkdirSync(join(tree, "usr/bin"));
  renameSync(program, join(tree, "usr/lib/tandem"));
  symlinkSync("../lib/tandem/bin/tandem", join(tree, "usr/bin/tandem"));
  for (const plugin of ["tandem-ipam", "tandem-ipam-full"]) {
    symlinkSync(`../tandem/build/${plugin}`, join(tree, "usr/lib/cni", plugin));
  }
  writeFiles(tree, shared);
  const installedKibibytes = kibibytesOf(tree);
  const control = controlFiles({ root, version, architecture, installedKibibytes });
  writeFiles(join(tree, "DEBIAN"), control);
  await normalize(tree, options);
  const scripts = [...control.keys()].filter((file) => /^(post|pre)/.test(file));
  await commands.run(["chmod", "0755", ...scripts.map((file) => join(tree, "DEBIAN", file))]);
  const path = join(out, `tandem_${debianVersion(version)}_${architecture}.deb`);
  await packDebian({ tree, path }, options);
}

/** The name of this architecture in Debian, which is also that of container images. */
function debianArchitecture(): string {
  const names: Partial<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
  const name = names[process.arch];
  if (name === undefined)
    throw new Error(`Cannot build packages: ${process.arch} is no architecture of theirs`);
  return name;
}

function kibibytesOf(tree: string): number {
  const files = globSync("**/*", { cwd: tree, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const sizes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  return sizes.reduce((sum, size) => sum + Math.ceil(size / 1024), 0);
}

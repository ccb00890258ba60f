// Builds the image of this architecture, in two layers: Debian's programs, which change when their packages do, and ours.

import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveOptions, normalize } from "../archives.ts";
import { writeFiles } from "../shared-files.ts";
import { packImage } from "./archive.ts";
import {
  type DebianPackage,
  installedFormat,
  namesIn,
  parseInstalled,
  withDependencies,
} from "./debian-packages.ts";
import { makeDebianRoot } from "./debian-root.ts";

export interface ImageParts {
  /** An empty directory to work in, on the file system of `program`. */
  readonly stage: string;
  /** The program's tree, which stays as it is. */
  readonly program: string;
  readonly packages: readonly DebianPackage[];
  readonly bill: string;
  readonly version: string;
  readonly architecture: string;
}

export interface ImageBuild extends ArchiveOptions {
  /** The root of the clone. */
  readonly root: string;
  /** The directory for the archive, which exists. */
  readonly out: string;
}

/** The repository of the image; whoever pushes it to a registry gives it that one's name. */
export const imageRepository = "localhost/tandem";

/** Programs of the tree that no part beside a stock Kubernetes runs. */
const unused = ["build/tandem-echo", "build/tandem-sandbox"];

export async function imagePackages({
  root,
  commands,
}: Pick<ImageBuild, "root" | "commands">): Promise<readonly DebianPackage[]> {
  const { stdout } = await commands.run([
    "dpkg-query",
    "--show",
    `--showformat=${installedFormat}`,
  ]);
  const names = namesIn(readFileSync(join(root, "tools/packages-image.txt"), "utf8"));
  return withDependencies(names, parseInstalled(stdout));
}

export async function buildImage(parts: ImageParts, options: ImageBuild): Promise<void> {
  const { stage, program, packages, bill, version, architecture } = parts;
  const { out, epoch, commands, compression } = options;
  const debian = join(stage, "debian");
  mkdirSync(debian, { recursive: true });
  await makeDebianRoot(debian, packages, commands);
  const ours = join(stage, "ours");
  mkdirSync(join(ours, "usr/lib"), { recursive: true });
  mkdirSync(join(ours, "usr/bin"));
  await commands.run(["cp", "--archive", "--link", program, join(ours, "usr/lib/tandem")]);
  for (const path of unused) rmSync(join(ours, "usr/lib/tandem", path));
  symlinkSync("../lib/tandem/bin/tandem", join(ours, "usr/bin/tandem"));
  writeFiles(ours, new Map([["usr/share/doc/tandem/sbom.cdx.json", bill]]));
  for (const directory of [debian, ours]) await normalize(directory, options);
  await commands.run(["chmod", "1777", join(debian, "tmp")]);
  await packImage(
    {
      layers: [
        // The same time whatever the commit, so that the layer is the same as long as packages are.
        { directory: debian, epoch: 0, createdBy: "Debian packages of tools/packages-image.txt" },
        { directory: ours, epoch, createdBy: `tandem ${version}` },
      ],
      stage: join(stage, "layout"),
      path: join(out, `tandem-${version}-image-${architecture}.tar`),
    },
    {
      name: `${imageRepository}:${version}`,
      architecture,
      created: new Date(epoch * 1000),
      version,
      compression,
      commands,
    },
  );
  rmSync(stage, { recursive: true });
}

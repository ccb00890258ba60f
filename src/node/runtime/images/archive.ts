// Image archives: those of `docker save`, and tars of an OCI layout.

import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import { ImageError } from "../error.ts";

/** An image in an archive, as skopeo finds it. */
export interface ArchivedImage {
  /** The transport in skopeo's name `docker-archive:PATH:SELECTOR` or `oci-archive:PATH:SELECTOR`. */
  readonly kind: "docker-archive" | "oci-archive";
  readonly selector: string;
  /** The image's name; undefined when the archive has none for it. */
  readonly name?: string;
}

export async function imagesIn(
  archive: string,
  commands: Commands,
): Promise<readonly ArchivedImage[]> {
  const docker = await readMember<DockerManifest>(archive, { member: "manifest.json", commands });
  if (docker !== undefined) return docker.flatMap(ofDocker);
  const index = await readMember<Index>(archive, { member: "index.json", commands });
  if (index !== undefined) return index.manifests.map(ofLayout);
  throw new ImageError(
    `Cannot load ${archive}: it is neither a docker-archive nor an OCI archive`,
    { reason: "not-had" },
  );
}

type DockerManifest = readonly { readonly RepoTags?: readonly string[] | null }[];

interface Index {
  readonly manifests: readonly { readonly annotations?: Readonly<Record<string, string>> }[];
}

function ofDocker(image: DockerManifest[number], index: number): readonly ArchivedImage[] {
  const kind = "docker-archive";
  const names = image.RepoTags ?? [];
  if (names.length === 0) return [{ kind, selector: `@${index}` }];
  return names.map((name) => ({ kind, selector: name, name }));
}

function ofLayout({ annotations = {} }: Index["manifests"][number]): ArchivedImage {
  const selector = annotations["org.opencontainers.image.ref.name"] ?? "";
  const name = annotations["io.containerd.image.name"] ?? selector;
  // Some programs write only the tag there, which is no name.
  const isName = /[/:]/.test(name);
  return { kind: "oci-archive", selector, ...(isName && { name }) };
}

async function readMember<T>(
  archive: string,
  { member, commands }: { readonly member: string; readonly commands: Commands },
): Promise<T | undefined> {
  try {
    const names = [member, `./${member}`];
    const { stdout } = await commands.run(["tar", "-xOf", archive, "--occurrence=1", ...names]);
    return JSON.parse(stdout) as T;
  } catch (error) {
    if (error instanceof CommandError && error.stdout !== "") return JSON.parse(error.stdout) as T;
    if (error instanceof CommandError && /Not found in archive/.test(error.stderr))
      return undefined;
    throw new ImageError(`Cannot load ${archive}: ${reasonOf(error)}`, {
      reason: "not-had",
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof CommandError) return error.stderr.trim().split("\n")[0] ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

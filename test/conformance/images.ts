// The images that Kubernetes' suite names, made from Debian's packages and programs of Go modules.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Recipe, recipes } from "./recipes.ts";

/** Packages of the root that all images share. Its shell is bash: that of dash drops variables with dashes in their names. */
const packages =
  "bash,bind9-dnsutils,busybox-static,ca-certificates,curl,etcd-server,hostname,iproute2,iputils-ping,netcat-openbsd,nginx-light,openssl,procps,wget";

export interface ImageOptions {
  /** The folder in which what is made stays for the next run. */
  readonly cache: string;
  /** The names the suite uses, as `e2e.test --list-images` prints them. */
  readonly names: readonly string[];
  /** The path of a program, built if it is not there yet. */
  readonly program: (name: string) => string;
}

/** Makes one archive, as `docker save` writes it, of all images that have a recipe, and returns its path. */
export async function makeImages(options: ImageOptions): Promise<string> {
  const { cache, names } = options;
  mkdirSync(cache, { recursive: true });
  const base = makeBase(cache);
  // The one private image must not be had without the secret that its test brings.
  const wanted = names.filter(
    (name) => recipes[shortName(name)] !== undefined && !name.includes("authenticated"),
  );
  const archive = join(cache, "images.tar");
  const made = join(cache, "images.txt");
  const content = wanted.join("\n") + readFileSync(new URL("recipes.ts", import.meta.url), "utf8");
  if (existsSync(made) && readFileSync(made, "utf8") === content) return archive;

  const work = mkdtempSync(join(tmpdir(), "conformance-images-"));
  try {
    const baseDigest = await digestOf(base);
    execFileSync("ln", ["-s", base, join(work, "base.tar")]);
    const manifest = [];
    for (const [short, tags] of Map.groupBy(wanted, shortName)) {
      const recipe = recipes[short] as Recipe;
      const layer = makeLayer(work, { short, recipe, program: options.program });
      const config = `${short}.json`;
      const digests = [baseDigest, await digestOf(join(work, layer))];
      writeFileSync(join(work, config), JSON.stringify(configOf(recipe, digests)));
      manifest.push({ Config: config, RepoTags: tags, Layers: ["base.tar", layer] });
    }
    writeFileSync(join(work, "manifest.json"), JSON.stringify(manifest));
    const parts = manifest.flatMap(({ Config, Layers }) => [Config, Layers[1] as string]);
    execFileSync("tar", ["-C", work, "-chf", archive, "manifest.json", "base.tar", ...parts]);
    writeFileSync(made, content);
  } finally {
    rmSync(work, { recursive: true });
  }
  return archive;
}

/** Unpacks the images of an archive as nodes have them, unless that was done before, and returns the folder. */
export function fillStore(
  cache: string,
  { archive, tandem }: { readonly archive: string; readonly tandem: string },
): string {
  const store = join(cache, "store");
  const filled = join(store, "filled");
  if (existsSync(filled) && statSync(filled).mtimeMs > statSync(archive).mtimeMs) return store;
  rmSync(store, { recursive: true, force: true });
  console.log("unpacking the images (a few minutes, once)");
  execFileSync(tandem, ["image", "load", archive, `--image-dir=${store}`], { stdio: "inherit" });
  writeFileSync(filled, "");
  return store;
}

export function shortName(image: string): string {
  return image.slice(image.lastIndexOf("/") + 1).replace(/[:@].*/, "");
}

/** A small Debian root of this machine's release, from its own package sources. */
function makeBase(cache: string): string {
  const base = join(cache, "base.tar");
  if (existsSync(base) && statSync(base).size > 0) return base;
  console.log("making a small Debian root (a minute or two, once)");
  const release = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  if (release === undefined)
    throw new Error("Cannot make images: /etc/os-release names no Debian release");
  const sources = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"];
  const unfinished = `${base}.unfinished.tar`;
  execFileSync(
    "mmdebstrap",
    [
      "--quiet",
      "--variant=minbase",
      "--skip=output/dev",
      `--include=${packages}`,
      // Tests look for these two accounts of the suite's own image.
      "--customize-hook=chroot $1 groupadd -g 50000 group-defined-in-image",
      "--customize-hook=chroot $1 useradd -u 1000 -G group-defined-in-image user-defined-in-image",
      "--customize-hook=ln -sf bash $1/bin/sh",
      "--customize-hook=rm -rf $1/var/lib/apt/lists $1/var/cache/apt $1/usr/share/doc $1/usr/share/man $1/usr/share/locale",
      // The server of the image `agnhost` proves who it is by this certificate.
      "--customize-hook=chroot $1 openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=localhost -keyout /localhost.key -out /localhost.crt",
      "--customize-hook=chmod 644 $1/localhost.key",
      release,
      unfinished,
      ...sources.filter((path) => existsSync(path)),
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  execFileSync("mv", [unfinished, base]);
  return base;
}

function makeLayer(
  work: string,
  { short, recipe, program }: { short: string; recipe: Recipe; program: (name: string) => string },
): string {
  const root = join(work, `${short}-root`);
  mkdirSync(root);
  const place = (path: string) => {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    return target;
  };
  for (const [path, name] of Object.entries(recipe.programs ?? {})) {
    copyFileSync(program(name), place(path));
    // The setuid bit of this one is what its test is about.
    chmodSync(join(root, path), name === "nonewprivs" ? 0o4755 : 0o755);
  }
  for (const [path, text] of Object.entries(recipe.files ?? {})) {
    writeFileSync(place(path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  for (const [path, target] of Object.entries(recipe.links ?? {})) symlinkSync(target, place(path));
  const layer = `${short}.tar`;
  execFileSync("tar", ["-C", root, "--owner=0", "--group=0", "-cf", join(work, layer), "."]);
  return layer;
}

function configOf(recipe: Recipe, digests: readonly string[]): object {
  return {
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    os: "linux",
    config: {
      Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      Entrypoint: recipe.entrypoint ?? [],
      Cmd: recipe.command ?? [],
      User: recipe.user ?? "",
      WorkingDir: "/",
    },
    rootfs: { type: "layers", diff_ids: digests.map((digest) => `sha256:${digest}`) },
  };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

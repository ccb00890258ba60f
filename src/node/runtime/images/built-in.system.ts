// Built-in images, which are never pulled: they are made of files of the machine.
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Commands } from "../../../base/host/command.ts";
import { ImageError } from "../error.ts";
import type { BuiltInImages, ImageConfig, ImageRecord, ImageRoot } from "../port.ts";
import { buildOnce } from "./build-once.system.ts";
import { buildEchoRoot } from "./echo-root.system.ts";
import { buildHostRoot } from "./host-root.system.ts";

const registry = "tandem.internal/";

export interface BuiltIn {
  /** Returns undefined for names that are not built in; throws for built-in images not allowed here. */
  find(name: string): ImageRecord | undefined;
  list(): readonly ImageRecord[];
  rootOf(id: string): Promise<ImageRoot> | undefined;
}

export interface BuiltInContext {
  /** The directory for the parts that are built. */
  readonly directory: string;
  readonly isRootless: boolean;
  readonly commands: Commands;
}

export function builtInImages(images: BuiltInImages, context: BuiltInContext): BuiltIn {
  const builders = new Map<string, () => Promise<ImageRoot>>();
  const { echo, host, pause, tandem } = images;
  if (echo !== undefined) builders.set("echo", () => echoRoot(echo.program, context));
  if (host !== undefined) builders.set("host", () => hostRoot(host.hidden, context));
  if (pause !== undefined) builders.set("pause", () => pauseRoot(pause.program, context));
  if (tandem !== undefined) builders.set("tandem", () => tandemRoot(tandem, context));
  const built = new Map<string, Promise<ImageRoot>>();
  return {
    find(name) {
      const [, word] = new RegExp(`^${registry}([^:@]+)(?::latest)?$`).exec(name) ?? [];
      if (!name.startsWith(registry)) return undefined;
      if (word !== undefined && builders.has(word)) return recordOf(word);
      throw new ImageError(`Cannot use image "${name}": it is not allowed on this node`, {
        reason: "refused",
      });
    },
    list: () => [...builders.keys()].map(recordOf),
    rootOf(id) {
      const word = id.slice(registry.length);
      const build = id.startsWith(registry) ? builders.get(word) : undefined;
      if (build === undefined) return undefined;
      const root = built.get(word) ?? build();
      built.set(word, root);
      // A failed build is not cached: the next caller tries again.
      root.catch(() => built.delete(word));
      return root;
    },
  };
}

function recordOf(word: string): ImageRecord {
  const name = `${registry}${word}`;
  return { name, id: name, bytes: 0, isBuiltIn: true };
}

const plain: ImageConfig = {
  entrypoint: [],
  command: [],
  environment: {},
  user: "",
  workingDirectory: "/",
};

/** The path of the echo program, in a directory of PATH for commands executed in the container. */
const echoPath = "/usr/bin/tandem-echo";

async function echoRoot(program: string, context: BuiltInContext): Promise<ImageRoot> {
  return {
    directory: await buildEchoRoot(program, context),
    config: { ...plain, entrypoint: [echoPath], command: ["serve"] },
    mounts: [{ source: program, destination: echoPath, readOnly: true }],
    hidden: [],
  };
}

/** Returns a root with nothing but the program that waits. */
async function pauseRoot(program: string, { directory }: BuiltInContext): Promise<ImageRoot> {
  const empty = await buildOnce({ directory, kind: "pause", made: [] }, () => Promise.resolve());
  return {
    directory: empty,
    config: { ...plain, entrypoint: ["/pause", "pause"] },
    mounts: [{ source: program, destination: "/pause", readOnly: true }],
    hidden: [],
  };
}

async function hostRoot(paths: readonly string[], context: BuiltInContext): Promise<ImageRoot> {
  const { directory, mounts } = await buildHostRoot(context);
  // The target of a symbolic link is hidden as well as the link.
  const meant = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  const hidden = [...new Set([...paths, ...meant])];
  return { directory, mounts, hidden, config: { ...plain, command: ["/bin/sh"] } };
}

const programDirectory = "/opt/tandem";

/** The entries that the program consists of; its folder may also hold clusters and their keys. */
const programParts = ["bin", "build", "node_modules", "package.json", "src"];

async function tandemRoot(
  { directory, hidden }: NonNullable<BuiltInImages["tandem"]>,
  context: BuiltInContext,
): Promise<ImageRoot> {
  const host = await hostRoot(hidden, context);
  const parts = programParts.filter((name) => existsSync(join(directory, name)));
  const mounts = parts.map((name) => ({
    source: join(directory, name),
    destination: join(programDirectory, name),
    readOnly: true,
  }));
  return {
    ...host,
    mounts: [...host.mounts, ...mounts],
    config: { ...plain, entrypoint: [join(programDirectory, "bin/tandem")] },
  };
}
